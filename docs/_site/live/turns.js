/* Long work in the page: a moment of it, then the page has its turn, then the next moment. */

const [SLICE, FRAME] = [30, 250]; // milliseconds: of work before the page has its turn, and between two pictures

/** Go on with state.work while state.running; count the milliseconds in state.spent, and call `done` when nothing is left. */
export function inTurns(state, element, done) {
  const began = performance.now();
  const left = () => performance.now() - began;
  while (state.running && left() < SLICE) {
    if (state.work.next().done) {
      state.running = false;
      done(state);
    }
  }
  state.spent += left();
  if (!state.running || began - (state.drawn ?? 0) > FRAME) {
    state.drawn = began;
    element.render();
  }
  if (state.running && element.isConnected) setTimeout(() => inTurns(state, element, done));
}

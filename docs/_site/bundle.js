// In a site that is opened from a folder, without a server: browsers refuse a worker there, so that the search's script
// runs in a hidden frame.
window.Worker = class extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    this.frame.srcdoc = "<!doctype html><title>Search</title>";
    this.ready = new Promise((resolve) => {
      this.frame.onload = () => {
        const inside = this.frame.contentWindow;
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        const script = inside.document.createElement("script");
        script.src = new URL(url, location);
        script.onload = () => resolve(inside);
        inside.document.body.append(script);
      };
    });
    document.body.append(this.frame);
  }

  postMessage(data) {
    this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
  }

  terminate() {
    this.frame.remove();
  }
};

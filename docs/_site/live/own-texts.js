/* Two texts for a reader's own language model: a story that was written for it, and sentences that stand in bold in the lessons. */

export const STORY = `In an old house by the sea there lived a small grey cat and a big brown bear. The cat had a blue boat, and the bear had a red hat. Every day the cat sat in the boat, and every day the bear sat on the stone and looked at the sea.

One day the cat said, where does the sea go when it goes away? I do not know, said the bear. It goes out in the morning, and it comes back in the evening. Then we must ask, said the cat. So the cat and the bear went out in the blue boat to ask where the sea goes.

First they came to a small white bird. The bird sat on a stone in the sea. Bird, said the cat, where does the sea go when it goes away? I do not know, said the bird. I only know where the wind goes. It goes over the hill, and it comes back in the evening. Then come with us, said the bear. So the cat and the bear and the bird went out in the blue boat to ask where the sea goes.

Then they came to an old green fish. The fish was as big as the boat. Fish, said the cat, where does the sea go when it goes away? I do not know, said the fish. I go with the sea when it goes away, and I come back with it in the evening. I was never away from it. Then come with us, said the bear. So the cat and the bear and the bird and the fish went out to ask where the sea goes.

In the evening they came to a house with a light. In the house there lived an old woman. She had a white hat and a black coat, and she looked at the moon. Woman, said the cat, where does the sea go when it goes away? Sit down, said the old woman. You must be cold. And she gave the cat some milk, and she gave the bear some bread, and she gave the bird some corn. The fish had all that it wanted in the sea.

Look at the moon, said the old woman. When the moon comes, the sea wants to see it. So it goes out to the moon, and it comes back when the moon goes down. That is where the sea goes when it goes away. Did the moon tell you that? said the bird. The sea told me, said the old woman. It comes to my house every evening, and it says the same thing every evening.

I do not know, said the fish. I was with the sea every day, and I never saw that it wanted to see the moon. You were in it, said the old woman. Who is in the sea does not see where the sea goes.

Then the cat looked at the moon, and the bear looked at the moon, and the bird looked at the fish. The moon was big and white, and the sea was black and cold. Now I know where the sea goes, said the cat. Now I want to go back to the house. So the cat and the bear and the bird went back in the blue boat, and the fish went with them in the sea.

In the morning the sea went away, as it does every day. The cat sat in the boat on the sand, and the bear sat on the stone with the red hat. It goes to see the moon, said the cat. I know, said the bear. It told me so when you were away. Then why did you not say that? said the cat. You did not ask me, said the bear. You asked the sea.

The bird lived in the old house from that day, and the wind came over the hill every evening to see it. The fish lived by the stone. And when the moon was big and white, the old woman came in a small black boat, and she had milk for the cat, and bread for the bear, and corn for the bird. Then they all sat by the light and looked at the sea. Where does it go? said the bird. To the moon, said the cat. And where does the moon go? said the bird. Nobody said a thing. The old woman looked at the bear, and the bear looked at the hat. I do not know, said the old woman. Then we must ask, said the cat.`;

export const SENTENCES = `Now fool it. A banana leaves it in doubt. Find texts that are no dates, and for which it is over 99 % sure of its answer.
A machine can be sure and wrong when a text is unlike its examples.
The machine looks by mixing all vectors, each with its weight, and this is called attention.
A machine that cannot choose where to look still reads more than a fifth of the dates.
In most of its mistakes the digits are all there, but in the wrong places.
Try the r. Then turn May into June with as few letters as you can.
A weight tells where the machine looked, and not what the look was good for.
Turn the query, and watch the output walk from value to value. Then make the query longer, and shorter: what changes?
The direction of the query decides where to look, and its length decides how firmly.
Ask, compare, share out, fetch: that is the whole of attention.
Press a letter of the answer, and see whose keys fit its query best.
Most sums are no farther from 0 than the root of the number of coins.
Divided by the root, the scores keep their size, however long the keys are.
Once they have loaded, drag the slider to the right until the second one makes a mistake, and watch its look wander off into the emptiness.
A machine that is not told which places are empty lets emptiness into its averages.
If emptiness is not hidden, the answers just get worse when somebody puts a longer text into the same batch.
Padding is hidden as a key, but not as a query.
The padding leaves the sum before the division, so that the other weights still add up to one.
Our rule is that a query with no key left gets weights 0 and output 0.
Give both machines the letters of an answer, one by one, up to all ten. Watch the last letter that each one says.
The peeking machine cheated: in its training it got every letter right by reading it off at the next place.
But a machine that writes is always at its last place.
Stop that: press the cells that must be blocked, until no letter sees a later one.
The ten blocked cells form a triangle: each letter sees itself and all that came before it.
The look-ahead mask must be there in the training.
When a given letter changes, everything that was said at the places before it must stay.
Switch on heads 2 and 3, and press other letters of the answer. What does each head look at?
Different heads look at different letters.
A head has one set of weights in each look, so it brings back one average, and different texts can have the same one.
Change the weights: can you make the second head useless?
One head draws a line through the square, and all texts on this line are the same to it. Two heads draw two lines, which cross in one place.
In more than half of its mistakes the third digit of the year is lost, and the fourth stands there a second time.
After 2,100 steps all letters walk to the other side when the fourth digit is asked for, even the 6 and the 7.
One average can carry a whole date, if the looks before it have told each letter its neighbours.
So one look is enough if the looks before it have told each letter its neighbours. More heads, or more looks, get there sooner.
Cut by a reshape alone, head 1 holds both halves of the m, and nothing of the y.
The second machine reads 2 of 2,000 dates, and yet no error was raised.
The mask hides the five letters, because all their pieces lie behind the tenth cell of strip 1.
Nothing complained, because only shapes are checked, and the shape was right all along.
All pieces of the day but one fall to head 4, which has only padding to look at.
Type a date, and then type it backwards. Which machine notices?
The machine without positions gives the same answer to a date and to its mirror image.
Type your birthday: which other date lies in the same bag?
Without positions no machine can tell two dates with the same letters apart, however long it is trained.
Press a letter, and compare its hands with those of the same letter elsewhere. Then push the text to the right: which hands turn most?
The fast dial tells neighbours apart, and the slow ones tell the beginning from the end.
The same letter is now another vector at each place.
All hands turn, and the dot product stays the same.
So a head can ask for a letter by its distance, wherever in the text the two stand.
Does the order of sines and cosines matter?
Which plus was this, and why does the order need it?
The missing plus adds what a part finds to the letter, so that the letter keeps what it was.
Without residuals the tower writes the commonest digit of a text in nearly every place.
Add layers until all drops have one colour. Then tick the residual, and look again.
Averages of averages differ less and less: after two layers you see only one brown.
With the residual, a core of its own paint remains in each drop.
Climb, and watch how large the digits become, and how the 5 shares out its weight. Then tick the norms, and climb again.
After six layers the digits are 13 times as large as at the start.
A norm leaves only the pattern of the numbers, and takes away their size.
How many of 100 letters does each get right?
With a network the layer knows nearly the whole table, with a wider attention in its place half of it, and with neither three letters in ten.
Now let the machine find an 8, too. Which alarms ring?
Only the alarm for 7 and 8 rings, and it says 56.
Now take the ReLU away, and look for a product that the alarms still know.
In a plain sum an 8 changes the answer by the same amount, whether a 7 is there or not.
Let its alarms be heard, the loudest first. Who leads?
No single alarm holds an entry of the table.
Walk with the 5, step by step. At which step do the two 5s part?
Both 5s come in as the same 64 numbers, and leave the encoder with hardly anything in common.
Walk up the right side. At which step do the two 0s part?
The two 0s of the answer part at step 8, and at step 9 they fetch almost unrelated things from the text.
This is how the machine knows which 5 is the day: the encoder makes equal 5s different, and the decoder's query fits the day's 5 best.
Let the three js walk up to step 6. Then put january's j into our text: which month will the machine write?
Can you find the first six steps of the walk?
That is the whole Transformer, in NumPy, and you have built it.
So two thirds of the numbers of GPT-3 look nowhere.
Let it learn, and watch the wrong letters, which are underlined.
In these five texts the form mostly comes first, and only then the right date.
A machine pays little for being in doubt, and a lot for being certain and wrong.
Training lowers the loss on the dates that the machine is shown, and we hope that it falls on all others, too.
The slope says which way to go, and how steep it is. The learning rate says how much of the slope to take.
Walk back yourself, factor by factor, and then nudge.
One walk gave the slopes of both numbers, and in our machine one walk gives all 121,422.
One walk back, one nudge for each number, and the machine's loss fell from 3.0 to 2.6.
No key is right in itself: b helped until the mixture had passed it, and then it was in the way.
Can you bring the loss below 0.5 with the learning rate alone?
A learning rate that suits one number does not suit the other.
Go back, and make the valley less steep: Adam's path does not change at all.
Whatever the slope is, the first quotient is 1 or -1.
At 0.01, a start without warm-up cost about half of the dates, and the later steps never won them back.
Did it search badly, or does it mean those zeros?
The likeliest letters do not always make the likeliest answer.
Keep two: does that find the answer with C?
A beam of two finds the answer with B, which is better than A's. Only a beam of three finds C's, the best of all.
So the search is not to blame: no answer is more probable than the zeros, and the machine means them.
A temperature changes the distances, and never the order.
At temperature 2 about half of the answers are rare ones, and two in five of these don't even have the form of a date.
Only the numerals that it has never seen tell the reader from the parrot.
What goes into the machine, and what must come out?
Nothing in this machine was made for numerals.
Which share of the 999 numerals that you put away will it read?
It reads nearly all of the longer numerals that it has never seen.
Some of the machine's mistakes are a pupil's: it adds the i before the last sign where it should subtract it, and the answer is 2 too large.
Find a number that is alone in its group, and a group of eight.
Of a group of eight, at least seven must go wrong.
Let a few lines count the groups. Then train, and compare.
What is not in the letters, no training can find.
Climb both: how long is the letter in the end, compared with the sum?
With a norm after each of 24 parts half a percent of the letter arrives at the top, and with a single norm about a quarter.
So a tall tower with the norm last starts its training nearly blind.
How many of 100 dates does the machine still read?
When the text is moved by 20 places, the machine reads about one date of 100.
Let the text walk. What happens to the hands, and what to their product?
The product of a turned query and a turned key depends only on how far apart their two places are.
After the move the query points elsewhere, and its three products are the same.
The quick hands tell small distances apart, and the slow hands tell near from far.
Alone both dates are read right, and side by side both are read wrong.
The letter at place 4 sees only places 3 and 4, which have its number, and the high scores at places 0 and 5 have no say.
With the mask, no letter of the second date changed by a single bit when we changed the first.
A machine that plays this game first finds the common letters, then words, and at last the tone of a manual.
In 1,100 steps this makes more than two million examples, and nobody had to write a single one.
Type a line of Python, then your name: which costs more bits a letter?
Fetch the machine above, if you have not. Set its temperature to 1.5, and then top-p to 0.5 as well.
How many bits a letter do you expect of these three?
A mere table that counts four letters comes close to our machine: 1.90 bits a letter against 1.76.
No library stands behind these lines any more, only sums, products and powers that you have written yourself.
So gluing the commonest pair does not always lead to the fewest pieces: the rule never looks ahead.
By counting alone, the rule has found three endings of English words among its first hundred pieces.
Names and foreign languages fall into crumbs, because the pieces were made for this manual.
If the machine finds the same again for all that is grey, then five sixths of its work is wasted.
So nobody needs the queries of earlier letters any more.
Without the mask, the m finds something else as soon as the y is there.
Let this machine of two layers write. Then take the look-ahead mask away, and watch which of the kept keys and values are no longer true.
Keys and values may be kept, because no letter sees a later one.
How many times as fast does a cache make the writing of a single text?
On our two cores, a cache made the writing of a single text about twice as fast.
A little after 22,000 places, the weights of one layer no longer fit into a laptop.
Step through the blocks of these 32 queries, and watch how little is in memory. Then switch the look-ahead mask on, and see what is hatched.
The whole square is still computed, from its top to its bottom, but it is never in memory as a whole.
Blocks approximate nothing: they only change the order of the work.
So the attention of one layer over a whole book fits into a laptop, where its square would have filled two thousand.
In training with 8,192 places, blocks need about one eightieth of the memory of plain attention.
Blocks save memory, but the time still grows with the square of the length.
But the largest score may stand on the last page.
Of the first piece only three things were needed: its largest score and its two sums.
A larger score makes everything before it smaller, by one factor.
So pieces may be merged in any order, and nobody has to wait.
In pieces, scores and weights are never written, so 1.2 million numbers move in place of 4.3 million.
If plain attention takes 100 % of the time, how much does FlashAttention take?
FlashAttention computed more, and took only 18 % of the time.
To remember a word of three letters, the machine keeps half a million bytes.
A letter still asks 32 questions, but its past takes only a quarter of the room.
Heads that share can bring back different things, because they ask differently.
Move the queries: which heads can bring back about 35? Then let each head have its own keys and values. Which can do it now?
With values of its own, head 2 can bring back 35. When it shares those of head 1, it never can.
Google and Meta lost less than one mark, even with a single key head. DeepSeek lost 3.9 marks with 8 key heads, and 8.2 with one.
Heads with the same keys look at different letters, because their questions differ.
Move the window until the last sign becomes cheap. What has just come into sight?
With a window the rows soon stop growing, so twice the length takes only about twice the scores.
However long the text gets, the cache of such a layer stays as large as its window.
With 32 letters in sight our model needs less than 1 % more bits than with 128.
With a window of 5, each layer reaches four letters farther back, so five layers hear of all 20.
Each layer lets a letter hear from farther away, but what comes from far is thin.
Press a vowel, then some other letters. Where does the head look when it needs nothing?
A head that needs nothing looks at the start mark, which is the same in every text and says nothing.
Without the start mark, just those letters go wrong that needed no look.
Look at the k with each machine. Then move the score of the sink, and watch how many letters stay right. What goes wrong if the score is far too low, and what if it is too high?
With a learnt sink, nearly all leftover weight goes there, and no place of the text becomes special.
A cap after the mask lifts minus infinity to -2, and that is a score like any other.
Swap two cards, so that nobody looks ahead. Then a dare: find an order in which nobody looks ahead, and the weights are still wrong.
Under a cap the best key still leads, here with 0.67 of the weight, and the other is heard, too.
Capped at 5 after its training, our machine loses nearly half of its dates.
At this price the near key gets 0.82 of the weight, though both fit equally well.
Change the price of a place, and watch the map of weights.
As the price rises, the map shrinks to a band.
Press the second c. Which letter does it find, and what had that letter noted?
So training has found something very like our two steps.
One head writes the notes, the other reads them, and neither is worth much alone.
So one wrong note was nearly the whole mistake.
Draw how many letters were right as the training went on.
For 200 steps little seems to happen, and in the next 150 the machine learns nearly the whole task.
Turn the yes up until each place fetches a single letter. Then press the wishes: what does a place fetch that has two of them, and what does a place fetch that has none?
With a large yes, a place shares its weight equally among all that it wishes for, and a place without a wish shares it among everybody.
Whom must each letter look at? Press the wishes until the count is right in all texts.
So a head that can only take averages counts right in all 9,840 texts.
Can you find three such wishes: how much should place 2 want its own b, an a at place 1, and an a at place 3?
A score compares two tokens and knows nothing of the rest of the text, so one head alone can't sort.
Press the wishes, so that each letter counts the smaller ones instead.
Let the places fetch one after the other. By which rule does each place find its letter?
Each place looks for the largest note below its own number.
Now fill in the first wish: how much does a place want a note, so that it finds its letter by the rule?
Two heads and a small network sort all 9,840 texts, and nothing in them was trained.
Find three more sums that the twin gets wrong. Start from 270 + 739, and change one digit at a time. What do your sums have in common?
A column with the sum 9 only hands on what it gets.
In six of ten wrong sums a digit is wrong left of a column with the sum 9.
The twin hardly looks farther down than the next column.
So an arc as thin as a hair can decide whether an answer is right.
Two machines can give the same answers and work in different ways.
Without the places where our two heads look, the twin copies hardly any text.`;

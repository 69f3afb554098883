/**
 * English forms that no rule for endings leads back to the word: verbs by their past forms, nouns by their plurals.
 * A line of `word: forms`; a form that is a common word of its own ("saw", "left", "found") is under the likelier one.
 */
const list = `
arise: arose arisen; bear: bore borne; beat: beaten; become: became; begin: began begun; bend: bent; bet: betted;
bind: bound; bite: bit bitten; bleed: bled; blow: blew blown; break: broke broken; breed: bred; bring: brought;
build: built; burn: burnt; buy: bought; catch: caught; choose: chose chosen; cling: clung; come: came; creep: crept;
deal: dealt; dig: dug; draw: drew drawn; dream: dreamt; drink: drank drunk; drive: drove driven; eat: ate eaten;
fall: fell fallen; feed: fed; feel: felt; fight: fought; find: found; flee: fled; fly: flew flown; forbid: forbade forbidden;
forget: forgot forgotten; forgive: forgave forgiven; freeze: froze frozen; get: got gotten; give: gave given; go: went gone;
grind: ground; grow: grew grown; hang: hung; hear: heard; hide: hid hidden; hold: held; keep: kept; kneel: knelt;
know: knew known; lay: laid; lead: led; lean: leant; leap: leapt; learn: learnt; leave: left; lend: lent; lie: lain;
light: lit; lose: lost; make: made; mean: meant; meet: met; mistake: mistook mistaken; overcome: overcame; pay: paid;
prove: proven; ride: rode ridden; ring: rang rung; rise: rose risen; run: ran; say: said; see: saw seen; seek: sought;
sell: sold; send: sent; sew: sewn; shake: shook shaken; shine: shone; shoot: shot; show: shown; shrink: shrank shrunk;
sing: sang sung; sink: sank sunk; sit: sat; sleep: slept; slide: slid; smell: smelt; speak: spoke spoken; speed: sped;
spell: spelt; spend: spent; spill: spilt; spin: spun; spring: sprang sprung; stand: stood; steal: stole stolen; stick: stuck;
sting: stung; strike: struck; strive: strove; swear: swore sworn; sweep: swept; swell: swollen; swim: swam swum; swing: swung;
take: took taken; teach: taught; tear: tore torn; tell: told; think: thought; throw: threw thrown; understand: understood;
undertake: undertook; wake: woke woken; wear: wore worn; weave: wove woven; weep: wept; win: won; wind: wound;
withdraw: withdrew withdrawn; write: wrote written;
child: children; foot: feet; goose: geese; knife: knives; leaf: leaves; life: lives; man: men; mouse: mice; person: people;
shelf: shelves; tooth: teeth; wife: wives; wolf: wolves; woman: women; half: halves; loaf: loaves; thief: thieves;
better: best; bad: worse worst`;

/** Form → the word it is a form of. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  list.split(';').flatMap((line) => {
    const [word = '', forms = ''] = line.trim().split(': ');
    return forms.split(' ').map((form) => [form, word] as const);
  }),
);

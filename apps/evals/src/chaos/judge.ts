/** Whether a run kept every promise; pure, so that the judge itself can be tested. */
import type { ChatRecord, RunRecords } from './records.ts';
import { marksIn } from './script.ts';

/** Words before a text that may stand there twice. */
const repeatWords = '(this may be a repeat)';
/** How an answer of the model of the run begins. */
const answerWords = 'answer to ';

/** Sentences, each a promise that was broken; none: all were kept. */
export function judge({ chats, brokenLaws, refused }: RunRecords): string[] {
  return [
    ...chats.flatMap((chat) => judgeChat(chat).map((sentence) => `${chat.name}: ${sentence}`)),
    ...brokenLaws,
    ...refused.map((what) => `refused by a platform or model: ${what}`),
  ];
}

function judgeChat(chat: ChatRecord): string[] {
  const texts = chat.shown.filter((text) => text.includes(answerWords));
  const repeats = texts.filter((text) => text.startsWith(repeatWords));
  const plain = texts.filter((text) => !text.startsWith(repeatWords)).flatMap(marksIn);
  const seen = new Set([...plain, ...repeats.flatMap(marksIn)]);
  const said = new Set(chat.said);
  const inOrder = [...new Set(plain)];
  const twice = plain.filter((mark, index) => plain.indexOf(mark) !== index);
  const unknown = new Set(chat.unknown.flatMap(answerIds));
  // A repeat whose own fate is unknown is sent again as well.
  const unexplained = repeats.flatMap(answerIds).filter((id) => !unknown.has(id));
  const missing = chat.said.filter((mark) => !seen.has(mark) && !chat.givenUp.includes(mark));
  return [
    ...(missing.length > 0 ? [`never answered: ${missing.join(' ')}`] : []),
    ...(twice.length > 0 ? [`answered twice without a mark: ${twice.join(' ')}`] : []),
    ...(isRising(inOrder) ? [] : [`answered out of order: ${inOrder.join(' ')}`]),
    ...inOrder.filter((mark) => !said.has(mark)).map((mark) => `answered, though nobody said it: ${mark}`),
    ...(unexplained.length === 0
      ? []
      : [`marked as repeats, and not of unknown fate: ${unexplained.join(' ')}`]),
    ...judgeTranscript(chat, texts),
  ];
}

function judgeTranscript(chat: ChatRecord, texts: readonly string[]): string[] {
  const stored = chat.answers.flatMap(answerIds);
  const shown = new Set(texts.flatMap(answerIds));
  // The beginning of a reply of unknown fate: where the message lies that showed it, nobody knows, so it stays as it is.
  const stray = new Set(texts.filter((text) => isLeftOver(text, chat.unknown)).flatMap(answerIds));
  const unwritten = [...shown].filter((id) => !stored.includes(id) && !stray.has(id));
  const unseen = stored.filter((id) => !shown.has(id));
  return [
    ...(chat.stored.join(' ') === chat.said.join(' ')
      ? []
      : [`said ${chat.said.join(' ')}, and the transcript has ${chat.stored.join(' ')}`]),
    ...(unwritten.length > 0 ? [`shown, and not in the transcript: ${unwritten.join(' ')}`] : []),
    ...(unseen.length > 0 ? [`in the transcript, and never shown: ${unseen.join(' ')}`] : []),
  ];
}

/** What an earlier attempt at the same turn had shown of its answer. */
function isLeftOver(text: string, unknown: readonly string[]): boolean {
  const marks = marksIn(text).join(' ');
  return unknown.some((reply) => reply.length > text.length && marksIn(reply).join(' ') === marks);
}

/** Each answer of the model has a number of its own. */
function answerIds(text: string): string[] {
  return [...text.matchAll(/\((a\d+)\)/g)].map(([, id]) => id ?? '');
}

function isRising(marks: readonly string[]): boolean {
  const numbers = marks.map((mark) => Number(mark.slice(1)));
  return numbers.every((number, index) => index === 0 || number > numbers[index - 1]!);
}

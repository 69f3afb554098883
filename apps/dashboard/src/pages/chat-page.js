import { html, render } from 'htm/preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isOwed } from './chat-lines.js';
import { ChatLine, DayMark, Writing } from './chat-line.js';
import { ChatModel } from './chat-model.js';
import { Composer } from './composer.js';
import { dayOf } from './format.js';
import { Welcome } from './welcome.js';

/** Closer to the end than this, new lines are followed. */
const nearPx = 120;

function ChatPage({ chatId, modelLabel }) {
  const [, redraw] = useState(0);
  const model = useRef(null);
  model.current ??= new ChatModel(chatId, () => redraw((count) => count + 1));
  const [editing, setEditing] = useState(null);
  const [offered, setOffered] = useState(null);
  useEffect(() => model.current.start(), []);

  const chat = model.current;
  const shown = chat.shown();
  const edit = (view) => {
    if (view) setEditing({ itemId: view.itemId, text: view.text });
    return view !== null;
  };
  const onSend = (text) => {
    chat.send(text, editing?.itemId ?? null);
    setEditing(null);
  };
  return html`<main class="talk">
      <h1 class="unseen">Chat</h1>
      ${chat.trouble && html`<p class="away" role="alert">${chat.trouble}</p>`}
      <${Lines}
        chat=${chat}
        shown=${shown}
        onEdit=${edit}
        modelLabel=${modelLabel}
        onTry=${(text) => setOffered({ text })}
      />
    </main>
    <${Composer}
      editing=${editing}
      offered=${offered}
      model=${modelLabel}
      onSend=${onSend}
      onEditLast=${() => edit(chat.editable())}
      onCancel=${() => setEditing(null)}
    />`;
}

function Lines({ chat, shown, onEdit, modelLabel, onTry }) {
  const box = useRef(null);
  const [atEnd, setAtEnd] = useState(true);
  const [spoken, setSpoken] = useState(false);
  const isWriting = chat.progress !== null || isOwed(shown);
  const toEnd = () => box.current.scrollTo({ top: box.current.scrollHeight });
  const lastKey = shown.at(-1)?.key;

  // What one has just written is followed from anywhere, the rest only near the end.
  useLayoutEffect(() => {
    if (atEnd || shown.at(-1)?.state === 'unsent') toEnd();
  }, [lastKey, shown.length, chat.progress?.text, isWriting]);
  // The history that was there before is not read out; what comes from now on is.
  useEffect(() => {
    if (chat.loaded) setSpoken(true);
  }, [chat.loaded]);

  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    setAtEnd(scrollHeight - scrollTop - clientHeight < nearPx);
  };
  return html`<div
      class="lines"
      ref=${box}
      onScroll=${onScroll}
      tabindex="0"
      role="region"
      aria-label="Messages"
    >
      ${
        chat.more &&
        html`<p class="column">
          <button class="quiet" type="button" onClick=${() => chat.earlier()}>Show earlier messages</button>
        </p>`
      }
      ${chat.loaded && shown.length === 0 && html`<${Welcome} model=${modelLabel} onTry=${onTry} />`}
      <div role="log" aria-label="Talk" aria-live=${spoken ? 'polite' : 'off'}>
        <ol class="column">
          ${listed(shown, chat, onEdit)}
        </ol>
      </div>
      ${isWriting && html`<${Writing} progress=${chat.progress} />`}
      <p class="unseen" role="status">${isWriting ? 'The bot is answering' : ''}</p>
    </div>
    ${!atEnd && html`<button class="newer" type="button" onClick=${toEnd}>Newest ↓</button>`}`;
}

function listed(shown, chat, onEdit) {
  const last = chat.editable();
  let day = '';
  return shown.flatMap((view) => {
    const actions = {
      again: (id) => chat.again(id),
      discard: (id) => chat.discard(id),
      edit: last?.key === view.key ? () => onEdit(view) : null,
    };
    const line = html`<${ChatLine} key=${view.key} view=${view} actions=${actions} />`;
    const viewDay = dayOf(view.at);
    if (viewDay === day) return [line];
    day = viewDay;
    return [html`<${DayMark} key=${`day-${viewDay}`} at=${view.at} />`, line];
  });
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${ChatPage} chatId=${root.dataset.chat} modelLabel=${root.dataset.model} />`, root);

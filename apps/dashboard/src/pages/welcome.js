import { html } from 'htm/preact';

const tries = [
  { text: 'Hello! What can you do?', why: 'Say hello' },
  {
    text: 'Please remember: my cat is called Miso and the vet is on Friday at ten.',
    why: 'Tell it something to keep',
  },
  {
    text: 'What is my cat called, and when is the vet?',
    why: 'Ask for it later, even after the page was reloaded',
  },
  { text: '/status', why: 'See how full the context is' },
  { text: '/help', why: 'List the commands' },
];

/** The empty chat says what to try; a try goes into the field, not off at once. */
export function Welcome({ model, onTry }) {
  const offline = /offline/i.test(model);
  return html`<section class="welcome">
    <h2>Nothing written here yet</h2>
    <p>
      Whatever you write is stored before it is answered. When the talk grows long, older lines are condensed
      for the model and stay readable and searchable for you.
    </p>
    ${
      offline &&
      html`<p>
        No model key is set, so the built-in offline responder answers: it searches this talk and repeats what
        it finds. Set ANTHROPIC_API_KEY, OPENROUTER_API_KEY or OPENAI_API_KEY and start again for a real
        model.
      </p>`
    }
    <ul>
      ${tries.map(
        (one) =>
          html`<li>
            <button type="button" onClick=${() => onTry(one.text)}>
              ${one.text}<small>${one.why}</small>
            </button>
          </li>`,
      )}
    </ul>
  </section>`;
}

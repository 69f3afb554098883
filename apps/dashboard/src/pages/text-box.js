import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** A text that scrolls where it is too long for its box; then, and only then, the Tab key stops at it. */
export function TextBox({ children }) {
  const box = useRef(null);
  const [scrolls, setScrolls] = useState(false);
  // Null: it left the page before it was looked at.
  const look = () => box.current && setScrolls(box.current.scrollHeight > box.current.clientHeight);
  useEffect(() => void look());
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return html`<div class="text" tabindex=${scrolls ? 0 : undefined} ref=${box}>${children}</div>`;
}

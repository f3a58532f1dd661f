import { mountPreview, type PreviewEnd } from '@svc/runtime/panel-host';
import { Button, ErrorMessage } from '@svc/ui';
import { useEffect, useRef, useState } from 'react';
import { useDesktopClient } from '../wire/use-desktop.ts';

const ENDS: Readonly<Record<PreviewEnd, string>> = {
  navigated: 'Stopped: the preview tried to leave its page.',
  flooded: 'Stopped: the preview sent too many messages.',
  'took-focus': 'Stopped: the preview took the keyboard while you were typing elsewhere.',
};

/** Longest code that is shown, in UTF-16 units. */
const MAX_CODE = 1_000_000;

const SVG_STYLE =
  'html,body{margin:0;height:100%}body{display:grid;place-items:center}svg{max-width:100%;max-height:100vh}';

/** Longest code of a diagram that is drawn, in UTF-16 units: the layout of a large one takes minutes. */
const MAX_DIAGRAM = 50_000;

const DIAGRAM_STYLE = 'body{margin:8px;font:14px sans-serif}svg{max-width:100%}pre{white-space:pre-wrap}';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A document to show: a kind with `diagram` is drawn by a script of the desktop from the text in it. */
type Shown = { kind: string; html: string; diagram?: true };

/** The document that a code is; null for one that cannot be shown. */
function documentOf(language: string, code: string): Shown | null {
  const start = code.slice(0, 200).trimStart().toLowerCase();
  if (code.length > MAX_CODE) return null;
  if (language === 'mermaid' && code.length <= MAX_DIAGRAM)
    return {
      ...{ kind: 'diagram', diagram: true },
      html: `<!doctype html><meta charset="utf-8"><style>${DIAGRAM_STYLE}</style><pre id="code" hidden>\n${escaped(code)}</pre><div id="diagram"></div>`,
    };
  if (language === 'svg' || (['xml', ''].includes(language) && start.startsWith('<svg')))
    return { kind: 'SVG', html: `<!doctype html><meta charset="utf-8"><style>${SVG_STYLE}</style>${code}` };
  if (language === 'html' || (language === '' && start.startsWith('<!doctype html')))
    return { kind: 'HTML', html: code };
  return null;
}

/** A document in a frame without network, storage or access to this page, while the component is mounted. */
function PreviewFrame({ shown: { kind, html, diagram }, close }: { shown: Shown; close(): void }) {
  const title = `Preview of ${kind}`;
  const desktop = useDesktopClient();
  const parent = useRef<HTMLDivElement>(null);
  const [end, setEnd] = useState<PreviewEnd | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    let unmount = () => {};
    const opening = desktop.request('previews.open', { html, title, ...(diagram && { diagram }) });
    let isLeft = false;
    opening.then(({ preview }) => {
      if (isLeft || !parent.current) return;
      const place = parent.current as unknown as Parameters<typeof mountPreview>[0]['parent'];
      const mounted = mountPreview({
        ...{ parent: place, frame: preview.frame, now: () => performance.now() },
        ended: setEnd,
      });
      unmount = mounted.close;
    }, setError);
    return () => {
      isLeft = true;
      unmount();
      opening
        .then(({ preview }) => desktop.request('previews.close', { preview: preview.id }))
        .catch(() => undefined);
    };
  }, [desktop, html, title, diagram]);
  return (
    <section className="code-preview" aria-label={title}>
      <header className="cluster">
        <span className="soft">Preview, without network</span>
        <Button label="Stop" className="small" onClick={close} />
      </header>
      {end === null ? null : <p role="alert">{ENDS[end]}</p>}
      <ErrorMessage error={error} />
      <div className="code-preview-place" ref={parent} hidden={end !== null || error !== null} />
    </section>
  );
}

/** Shows the document that a code is, on a press. What is written to the code later is shown by another press. */
export function Preview({ language, code }: { language: string; code: string }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const document = documentOf(language, code);
  if (shown) return <PreviewFrame shown={shown} close={() => setShown(null)} />;
  return document === null ? null : (
    <Button label="Preview" className="quiet small" onClick={() => setShown(document)} />
  );
}

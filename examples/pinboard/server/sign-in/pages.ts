const NAMED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes untrusted text for HTML. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => NAMED[character] ?? '');

const STYLE = `
  :root { color-scheme: light dark; --accent: light-dark(#a8322a, #ff9d8f); --soft: light-dark(#5d5350, #b9adaa); }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1.5rem;
    font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f6f1ec, #1d1917); color: light-dark(#241f1d, #f3ecea); }
  main { width: min(26rem, 100vw - 3rem); padding: 2rem; border-radius: 16px; background: light-dark(#fff, #2a2523);
    box-shadow: 0 1px 3px rgb(0 0 0 / .18); }
  h1 { margin: 0 0 .75rem; font-size: 1.35rem; overflow-wrap: anywhere; }
  p, ul { margin: 0 0 1rem; overflow-wrap: anywhere; } ul { padding-left: 1.2rem; }
  .note { color: var(--soft); font-size: .9rem; }
  .wrong { color: var(--accent); font-weight: 600; }
  label { display: block; font-weight: 600; margin-bottom: .3rem; }
  input { width: 100%; padding: .6rem .7rem; margin-bottom: 1rem; border: 1px solid var(--soft); border-radius: 8px;
    background: transparent; color: inherit; font: inherit; }
  button { padding: .6rem 1.2rem; border: 1px solid var(--accent); border-radius: 8px; font: inherit; font-weight: 600;
    cursor: pointer; background: var(--accent); color: light-dark(#fff, #2a0f0b); }
  button.quiet { background: transparent; color: var(--accent); }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <style>${STYLE}</style>
  </head>
  <body><main><h1>${escaped(title)}</h1>${body}</main></body>
</html>
`;

/** A form of this server; `seal` is its CSRF token. */
export type Form = { action: string; seal: string };

const form = ({ action, seal }: Form, body: string): string =>
  `<form method="post" action="${escaped(action)}"><input type="hidden" name="seal" value="${escaped(seal)}">${body}</form>`;

/** The page on which the user types a name. */
export const signInPage = (to: Form, problem?: string): string =>
  page(
    'Sign in to Pinboard',
    `${problem === undefined ? '' : `<p class="wrong" role="alert">${escaped(problem)}</p>`}${form(
      to,
      `<label for="name">Your name</label>
       <input id="name" name="name" required maxlength="40" autocomplete="username" autofocus>
       <button>Sign in</button>`,
    )}<p class="note" style="margin: 1.25rem 0 0">This is a demonstration: there are no passwords. Each name has the board of that
    name, so pin nothing here that others must not see.</p>`,
  );

/** The consent page: whether a client may use the board. */
export const consentPage = (
  to: Form,
  { client, host, person }: { client: string; host: string; person: string },
): string =>
  page(
    `Let ${client} use your board?`,
    `<p>You are signed in as <strong>${escaped(person)}</strong>. The client could</p>
     <ul><li>see what is on your board,</li><li>pin notes and pictures to it,</li><li>remove pins from it.</li></ul>
     <p class="note">The name of the client is not verified. You will be sent back to <strong>${escaped(host)}</strong>.</p>
     ${form(
       to,
       `<button name="answer" value="allow">Allow</button>
        <button name="answer" value="deny" class="quiet">Do not allow</button>`,
     )}`,
  );

/** The error page. */
export const errorPage = (message: string): string =>
  page(
    'This did not work',
    `<p>${escaped(message)}</p><p class="note">Close this tab, and connect again from the client.</p>`,
  );

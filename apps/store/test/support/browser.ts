import { BASE_URL, type TestStore } from './test-store.ts';

const FORM = 'application/x-www-form-urlencoded';

/** The value of a page's field with that name, or of its attribute. */
const csrfIn = (page: string): string | undefined =>
  /(?:name="csrf" value=|data-csrf=|"csrf":)"([^"]+)"/.exec(page)?.[1];

/** A user's browser as the store sees it: it keeps cookies, and sends the CSRF tokens of the pages that it opened. */
export function browserAt(store: Pick<TestStore, 'call'>) {
  const cookies = new Map<string, string>();
  let csrf = '';

  async function send(method: string, path: string, options: Parameters<TestStore['call']>[2] = {}) {
    const cookie = Array.from(cookies, (pair) => pair.join('=')).join('; ');
    const answer = await store.call(method, path, {
      ...options,
      headers: { origin: BASE_URL, ...(cookie && { cookie }), ...options.headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }

  async function open(path: string) {
    const answer = await send('GET', path);
    csrf = csrfIn(await answer.clone().text()) ?? csrf;
    return answer;
  }

  return {
    cookies,
    send,
    /** Opens a page, and stores its CSRF token. */
    open,
    /** Submits a form with the CSRF token of the last opened page. */
    submit: (path: string, fields: Record<string, string>) =>
      send('POST', path, {
        body: String(new URLSearchParams({ csrf, ...fields })),
        headers: { 'content-type': FORM },
      }),
    /** Sends JSON, like a script of that page. */
    script: (method: string, path: string, json?: unknown) =>
      send(method, path, { headers: { 'x-svc-csrf': csrf }, ...(json !== undefined && { json }) }),
    session: () => cookies.get('__Host-svc-session'),
  };
}

export type TestBrowser = ReturnType<typeof browserAt>;

export const ANNA = { name: 'Anna Ash', email: 'anna@example.com', password: 'four words of anna' };

/** Creates an account with a password. */
export async function signUpAt(store: Pick<TestStore, 'call'>, person = ANNA): Promise<TestBrowser> {
  const browser = browserAt(store);
  await browser.open('/sign-up');
  const answer = await browser.submit('/sign-up', person);
  if (answer.status !== 303) throw new Error(`Signing up answered ${answer.status}: ${await answer.text()}`);
  await browser.open('/api/people/me');
  return browser;
}

/** Signs in with a password. */
export async function signInAt(
  store: Pick<TestStore, 'call'>,
  { email, password }: { email: string; password: string } = ANNA,
  next?: string,
): Promise<{ browser: TestBrowser; answer: Response }> {
  const browser = browserAt(store);
  await browser.open('/sign-in');
  const answer = await browser.submit('/sign-in', { email, password, ...(next !== undefined && { next }) });
  return { browser, answer };
}

import { BASE_URL } from './store-process.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A minimal browser: it keeps cookies and sends the CSRF token of the page. */
export function browse(url: string) {
  const cookies = new Map<string, string>();
  let csrf = '';

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = Array.from(cookies, (pair) => pair.join('=')).join('; ');
    const headers = { origin: BASE_URL, cookie, ...init.headers };
    const response = await fetch(url + path, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  }

  async function open(path: string): Promise<void> {
    csrf = /name="csrf" value="([^"]+)"/.exec(await (await send(path)).text())?.[1] ?? '';
  }

  async function submitSignUp(email: string) {
    const fields = { csrf, name: email, email, password: 'four words of theirs' };
    const { status } = await send('/sign-up', {
      method: 'POST',
      headers: FORM,
      body: String(new URLSearchParams(fields)),
    });
    return {
      status,
      isSignedIn: async () => (await send('/api/people/me')).status === 200,
    };
  }

  return {
    open,
    submitSignUp,
    async signUp(email: string) {
      await open('/sign-up');
      return submitSignUp(email);
    },
    startDevice: () =>
      send('/api/developer/device/start', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      }),
  };
}

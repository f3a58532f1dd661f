/** The value of the CSRF field of a page, or of its attribute. */
const csrfIn = (page: string): string | undefined =>
  /(?:name="csrf" value=|data-csrf=|"csrf":)"([^"]+)"/.exec(page)?.[1];

type Asked = { form?: Record<string, string>; json?: unknown; method?: string };

/** The request of a form or of a script, with the CSRF token of the last page. */
function requestOf({ form, json, method }: Asked, csrf: string) {
  if (form) return { method: 'POST', body: new URLSearchParams({ csrf, ...form }), headers: {} };
  const headers = { 'content-type': 'application/json', 'x-svc-csrf': csrf };
  if (json !== undefined) return { method: method ?? 'POST', body: JSON.stringify(json), headers };
  return { method: method ?? 'GET', body: null, headers: {} };
}

/** A page that a browser shows. */
export type Page = { url: URL; status: number; text: string };

/**
 * The browser of a user of a company: it keeps cookies by host, follows redirects between hosts, and signs in at the provider as the user.
 * @param origin the store
 * @param issuer the provider
 */
export function openBrowser(origin: string, issuer: string, account: string) {
  const cookies = new Map<string, Map<string, string>>();
  let csrf = '';

  async function once(url: URL, asked: Asked): Promise<Response> {
    const jar = cookies.get(url.host) ?? new Map<string, string>();
    cookies.set(url.host, jar);
    const { method, body, headers } = requestOf(asked, csrf);
    const cookie = Array.from(jar, (pair) => pair.join('=')).join('; ');
    const answer = await fetch(url, {
      ...{ method, body, redirect: 'manual' },
      headers: { origin, cookie, ...headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line) || value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  async function go(path: string, asked: Asked = {}): Promise<Page> {
    let url = new URL(path, origin);
    let answer = await once(url, asked);
    for (let hops = 0; hops < 20; hops += 1) {
      const next = answer.headers.get('location');
      if (next !== null) url = new URL(next, url);
      else if (url.origin === issuer && url.pathname.startsWith('/interaction/'))
        url.searchParams.set('account', account);
      else break;
      answer = await once(url, {});
    }
    const text = await answer.text();
    csrf = csrfIn(text) ?? csrf;
    return { url, status: answer.status, text };
  }

  return {
    go,
    /** Sends JSON, as a script of the last page does. @throws when the answer is an error */
    async call<T = Record<string, unknown>>(method: string, path: string, json?: unknown): Promise<T> {
      const { status, text } = await go(path, { method, ...(json !== undefined && { json }) });
      if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
      return text === '' ? ({} as T) : JSON.parse(text);
    },
    /** The cookies of the store, as a header. */
    cookie: () => Array.from(cookies.get(new URL(origin).host) ?? [], (pair) => pair.join('=')).join('; '),
  };
}

/** The fields that the form of a page would submit unchanged, without its buttons. */
export function fieldsOf(whole: string): Record<string, string> {
  const page = whole.slice(whole.indexOf('<main'), whole.indexOf('</main>'));
  const inputs = [...page.matchAll(/<input [^>]*>/g)].map(([input]) => {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
    return [attribute('name') ?? '', attribute('value') ?? 'on'];
  });
  const [, chosen = ''] = /<option value="([^"]*)" selected>/.exec(page) ?? [];
  return { ...Object.fromEntries(inputs), ...(page.includes('<select') && { publisher: chosen }) };
}

import { readFile } from 'node:fs/promises';

/** What a user enters on the sign-in pages. */
export type Answers = { name: string; allow?: boolean };

type Page = { action: string; seal: string; isSignIn: boolean };

/** The form of a page; null when it has none. */
export function formIn(html: string): Page | null {
  const [, action] = /<form method="post" action="([^"]+)"/.exec(html) ?? [];
  const [, seal] = /name="seal" value="([^"]+)"/.exec(html) ?? [];
  if (action === undefined || seal === undefined) return null;
  return { action, seal, isSignIn: html.includes('name="name"') };
}

/** The URL to which a page in a file leads at once: clients give browsers such a page, as other users can read the arguments of a process. */
async function targetOf(address: string): Promise<URL> {
  const url = new URL(address);
  if (url.protocol !== 'file:') return url;
  const [, target = ''] =
    /http-equiv="refresh" content="0;url=([^"]+)"/.exec(await readFile(url, 'utf8')) ?? [];
  return new URL(target.replace(/&#(\d+);/g, (_entity, code) => String.fromCharCode(Number(code))));
}

/** A browser without scripts: follows redirects with its cookies, and submits forms. */
export function openBrowser() {
  const jar = new Map<string, string>();

  async function request(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = Array.from(jar, (pair) => pair.join('=')).join('; ');
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  const submit = (page: URL, form: Page, { name, allow = true }: Answers): Promise<Response> =>
    request(new URL(form.action, page), {
      method: 'POST',
      body: new URLSearchParams(
        form.isSignIn ? { seal: form.seal, name } : { seal: form.seal, answer: allow ? 'allow' : 'deny' },
      ),
    });

  return {
    jar,
    request,
    /**
     * Signs in, beginning at a URL.
     * @returns the final redirect URL, or a page without a form
     */
    async signIn(address: string, answers: Answers): Promise<{ url: URL; page: Response | null }> {
      let url = await targetOf(address);
      const { origin } = url;
      let answer = await request(url);
      for (;;) {
        const next = answer.headers.get('location');
        if (next !== null) {
          url = new URL(next, url);
          if (url.origin !== origin) return { url, page: null };
          answer = await request(url);
          continue;
        }
        const form = formIn(await answer.clone().text());
        if (!form) return { url, page: answer };
        answer = await submit(url, form, answers);
      }
    },
  };
}

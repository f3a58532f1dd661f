/**
 * Opens a URL like a browser: follows each redirect with its cookies, and stops at the first page.
 * @param reach sends the requests
 */
export async function browse(address: string, reach: typeof fetch = fetch): Promise<Response> {
  const jars = new Map<string, Map<string, string>>();
  let url = new URL(address);
  for (;;) {
    const jar = jars.get(url.origin) ?? new Map<string, string>();
    jars.set(url.origin, jar);
    const cookie = Array.from(jar, (pair) => pair.join('=')).join('; ');
    const answer = await reach(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) return answer;
    url = new URL(next, url);
  }
}

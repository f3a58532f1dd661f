import { ask } from '../../../apps/desktop/test/support/ask.ts';

/**
 * Opens the page of a desktop by its link.
 * @returns a function that sends a call of the page, and throws when it is refused
 */
export async function openPage(link: URL) {
  const send = async <T>(name: string, input: object, headers: Record<string, string> = {}): Promise<T> => {
    const answer = await ask(Number(link.port), {
      method: 'POST',
      path: `/api/${name}`,
      headers: { host: link.host, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    });
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.body}`);
    return answer.json() as T;
  };
  const key = /key=([^&]+)/.exec(link.hash)?.[1] ?? '';
  const { bearer } = await send<{ bearer: string }>('session.open', { key });
  return <T = unknown>(name: string, input: object = {}): Promise<T> =>
    send(name, input, { authorization: `Bearer ${bearer}` });
}

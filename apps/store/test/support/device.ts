import type { DeviceStart } from '@svc/contracts';
import { jsonOf, type TestSession, type TestStore } from './test-store.ts';

type Face = Pick<TestStore, 'call'>;

/** Starts a device sign-in, which must succeed. */
export const startDevice = (store: Face, json?: object): Promise<DeviceStart> =>
  jsonOf(store.call('POST', '/api/developer/device/start', json === undefined ? {} : { json }));

export const pollDevice = (store: Face, deviceCode: string): Promise<Response> =>
  store.call('POST', '/api/developer/device/poll', { json: { deviceCode } });

const TYPE = 'application/x-www-form-urlencoded';

/** Submits a form of a page in the browser of a signed-in user. */
export const sendForm = (
  store: Face,
  path: string,
  session: TestSession,
  fields: Record<string, string>,
): Promise<Response> =>
  store.call('POST', path, {
    session,
    body: new URLSearchParams({ csrf: session.csrf, ...fields }).toString(),
    headers: { 'content-type': TYPE },
  });

/** Enters a user code on the page. */
export const typeCode = (store: Face, session: TestSession, code: string): Promise<Response> =>
  sendForm(store, '/device', session, { code });

/** The content of a page between header and footer. */
export const mainOf = (page: string): string => page.slice(page.indexOf('<main'), page.indexOf('</main>'));

/** The fields that the form of a page would submit unchanged, without its buttons; the header has a separate search form. */
export function fieldsOf(whole: string): Record<string, string> {
  const page = mainOf(whole);
  const inputs = [...page.matchAll(/<input [^>]*>/g)].map(([input]) => {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
    return [attribute('name') ?? '', attribute('value') ?? 'on'];
  });
  const [, chosen = ''] = /<option value="([^"]*)" selected>/.exec(page) ?? [];
  return { ...Object.fromEntries(inputs), ...(page.includes('<select') && { publisher: chosen }) };
}

/** Opens a code and submits its page, with some fields changed. */
export async function answerCode(
  store: Face,
  session: TestSession,
  code: string,
  changed: Record<string, string> = {},
): Promise<Response> {
  const page = await (await typeCode(store, session, code)).text();
  return sendForm(store, '/device/answer', session, { ...fieldsOf(page), answer: 'approve', ...changed });
}

/** Signs a device in as a user, and returns its token. */
export async function deviceToken(store: Face, session: TestSession, json?: object): Promise<string> {
  const { deviceCode, userCode } = await startDevice(store, json);
  await answerCode(store, session, userCode);
  return (await jsonOf<{ token: string }>(pollDevice(store, deviceCode))).token;
}

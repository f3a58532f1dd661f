import { BUILT_IN_APPS, LIMITS } from '@svc/contracts/vocabulary';

const APP_ID = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** Whether a text is a reverse-DNS app id: at least two parts, all lower case. */
export function isAppId(text: string): boolean {
  return text.length <= LIMITS.manifest.id && APP_ID.test(text);
}

/** Returns the text in lower case and without outer white space if that is an app id; otherwise undefined. */
export function suggestAppId(value: unknown): string | undefined {
  const id =
    typeof value === 'string' && value.length < 2 * LIMITS.manifest.id ? value.trim().toLowerCase() : '';
  return isAppId(id) ? id : undefined;
}

/** Whether an id has a prefix for apps from other sources: GitHub, npm, a local folder. */
export function isForeignId(id: string): boolean {
  return id.startsWith('gh-') || id.startsWith('npm-') || id.startsWith('local.');
}

const NAME = /^[a-z][a-z0-9_]*$/;

/** Whether a value can name a tool or an account: lowercase letters, digits and `_`, a letter first. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/** Ids of the apps that ship with the client. */
export const BUILT_IN_IDS: ReadonlySet<string> = new Set(BUILT_IN_APPS);

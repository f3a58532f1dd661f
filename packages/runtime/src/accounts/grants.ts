import type { Vault } from '../vault/vault.ts';
import { Grant } from './grant.ts';

/** What was granted, by app and account, in the vault. */
export type Grants = {
  find(appId: string, accountId: string): Promise<Grant | null>;
  /** Puts a grant in place of whatever there is. Durable when it resolves. */
  keep(appId: string, accountId: string, grant: Grant): Promise<void>;
  /**
   * Puts a grant in place of another, or with null takes it away, unless something else is there by now.
   * @returns what is there afterwards
   */
  replace(appId: string, accountId: string, old: Grant, next: Grant | null): Promise<Grant | null>;
  /** Takes whatever there is away. @returns what it was */
  take(appId: string, accountId: string): Promise<Grant | null>;
};

/** What an older or newer program wrote in another shape counts as nothing: the person connects again. */
const parse = (text: string | null): Grant | null =>
  text === null ? null : (Grant.safeParse(JSON.parse(text)).data ?? null);

/** Whether it is one and the same grant: its tokens tell. */
const isSame = (a: Grant, b: Grant): boolean =>
  a.accessToken === b.accessToken && a.refreshToken === b.refreshToken;

export function grantsIn(vault: Vault): Grants {
  const name = (appId: string, accountId: string) => ['account', appId, accountId] as const;
  return {
    find: async (appId, accountId) => parse(await vault.read(name(appId, accountId))),
    async keep(appId, accountId, grant) {
      await vault.change(name(appId, accountId), () => JSON.stringify(grant));
    },
    async replace(appId, accountId, old, next) {
      const after = await vault.change(name(appId, accountId), (text) => {
        const current = parse(text);
        if (!current || !isSame(current, old)) return text;
        return next && JSON.stringify(next);
      });
      return parse(after);
    },
    async take(appId, accountId) {
      let taken: string | null = null;
      await vault.change(name(appId, accountId), (text) => {
        taken = text;
        return null;
      });
      return parse(taken);
    },
  };
}

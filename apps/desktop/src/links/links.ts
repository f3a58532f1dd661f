import { existsSync } from 'node:fs';
import path from 'node:path';
import { openPrivateFolder, writeDurable } from '@svc/runtime/parts';
import { findOrStartDesktop } from '../gateway/find-or-start-desktop.ts';
import type { LinksView } from '../wire/views.ts';
import { type HandlerPlace, handlerOf } from './handler.ts';
import { pageOfLink, type StoreLink } from './read-link.ts';

/** Links of web pages, which this desktop opens if the user agreed. */
export type Links = {
  view(): Promise<LinksView>;
  /** Registers the handler, or removes it. The question is not asked again. */
  turn(isOn: boolean): Promise<void>;
  /**
   * Opens the desktop of another store, which has a folder of its own.
   * @param isAgreed whether the user agreed to a store that is new on this computer
   * @returns a one-time link to its page; null for a new store
   */
  open(link: StoreLink, isAgreed: boolean): Promise<string | null>;
};

/** The cache folder of npx; npm may empty it at any time. */
const NPX_CACHE = /[\\/]_npx[\\/]/;

/** What this desktop does with links. */
export function createLinks(deps: HandlerPlace & Parameters<typeof findOrStartDesktop>[0]): Links {
  const { folder, store, program, env } = deps;
  const handler = handlerOf(deps);
  const asked = path.join(folder, 'links-asked');
  const isTemporary = program.some((word) => NPX_CACHE.test(word));
  return {
    view: async () => ({
      isOn: await handler.isOn(),
      isAsked: existsSync(asked),
      install: isTemporary ? `npm install --global ${store}/cli.tgz` : null,
    }),
    async turn(isOn) {
      openPrivateFolder(folder);
      await (isOn ? handler.turnOn() : handler.turnOff());
      await writeDurable(asked, Buffer.from(''));
    },
    async open(link, isAgreed) {
      const other = path.join(folder, 'stores', encodeURIComponent(link.store));
      if (!isAgreed && !existsSync(other)) return null;
      // The token is for the store of this desktop only.
      const { SVC_TOKEN: _token, SVC_STORE: _store, ...rest } = env;
      const settings = { store: link.store, localApps: false, localConnectors: false };
      const desktop = await findOrStartDesktop({ ...deps, env: rest }, other, settings);
      return `${await desktop.newLink()}&to=${pageOfLink(link)}`;
    },
  };
}

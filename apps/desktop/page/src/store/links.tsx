import type { AppDetail } from '@svc/contracts';
import { Copyable, Dialog, DialogButtons, ErrorMessage } from '@svc/ui';
import { useEffect } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { isolated } from '../parts/isolated.ts';
import { visible } from '../parts/visible.ts';
import { hashOf } from '../routes.ts';
import { useProject, useStore } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.links;

/** Asks once whether links of web pages open this desktop. */
export function LinksNotice() {
  const links = useDesktopQuery('links.show', {}).data?.links;
  const turn = useDesktopMutation('links.turn');
  if (!links || links.isOn || links.isAsked || links.install !== null) return null;
  return (
    <div className="banner">
      <span role="status">{MESSAGES.ask}</span>
      <button type="button" onClick={() => turn.mutate({ isOn: true })}>
        {MESSAGES.allow}
      </button>
      <button type="button" onClick={() => turn.mutate({ isOn: false })}>
        {MESSAGES.refuse}
      </button>
      <ErrorMessage error={turn.error} />
    </div>
  );
}

/** Turns links of web pages on or off. */
export function LinksSetting() {
  const links = useDesktopQuery('links.show', {}).data?.links;
  const turn = useDesktopMutation('links.turn');
  if (!links) return null;
  if (links.install !== null)
    return (
      <>
        <p className="soft">{MESSAGES.needsInstall}</p>
        <Copyable name={WORDS.settingsPage.command} text={links.install} />
      </>
    );
  return (
    <div className="buttons">
      <span>{links.isOn ? MESSAGES.on : MESSAGES.off}</span>
      <button type="button" disabled={turn.isPending} onClick={() => turn.mutate({ isOn: !links.isOn })}>
        {links.isOn ? MESSAGES.turnOff : MESSAGES.allow}
      </button>
      <ErrorMessage error={turn.error} />
    </div>
  );
}

type OtherLink = Omit<DesktopCalls['links.open']['in'], 'isAgreed'>;

const hostOf = (store: string): string => URL.parse(store)?.host ?? store;

/** A link to an app of another store: asks if that store is new here, and continues in its own desktop. */
export function OtherStore({ link }: { link: OtherLink }) {
  const own = hostOf(useStore());
  const open = useDesktopMutation('links.open');
  const { mutate } = open;
  const { action, appId, store } = link;
  useEffect(() => {
    mutate({ action, appId, store, isAgreed: false });
  }, [mutate, action, appId, store]);
  const next = open.data?.link ?? null;
  useEffect(() => {
    if (next !== null) window.location.replace(next);
  }, [next]);
  const leave = () => go(hashOf('store'));
  const host = visible(hostOf(store));
  const isNew = open.data?.link === null;
  const buttons = (
    <DialogButtons
      yes={MESSAGES.open}
      canAct={isNew && !open.isPending}
      act={() => mutate({ action, appId, store, isAgreed: true })}
      leave={leave}
    />
  );
  return (
    <Dialog title={MESSAGES.otherTitle(host)} leave={leave} buttons={buttons}>
      {isNew ? (
        <>
          <p>{MESSAGES.other(host, own)}</p>
          <p className="soft">{MESSAGES.otherHint}</p>
        </>
      ) : null}
      {open.isPending || next !== null ? <p role="status">{MESSAGES.opening}</p> : null}
      <ErrorMessage error={open.error} />
    </Dialog>
  );
}

/** Leads to the store's page on which the user rates an app. */
export function RateDialog({ app, close }: { app: AppDetail; close(): void }) {
  const apps = useDesktopQuery('apps.list', { project: useProject().id }).data?.apps;
  const page = useDesktopQuery('store.ratingPage', { appId: app.appId });
  const isInstalled = apps?.some(({ appId }) => appId === app.appId);
  const buttons = (
    <>
      {isInstalled && page.data ? (
        <a
          className="button main"
          href={page.data.url}
          target="_blank"
          rel="noopener noreferrer"
          onClick={close}
        >
          {MESSAGES.rate}
        </a>
      ) : null}
      <button type="button" onClick={close}>
        {WORDS.cancel}
      </button>
    </>
  );
  return (
    <Dialog title={MESSAGES.rateTitle(isolated(app.name))} leave={close} buttons={buttons}>
      <p>{isInstalled === false ? MESSAGES.rateNotInstalled : MESSAGES.rateHint}</p>
      <ErrorMessage error={page.error} />
    </Dialog>
  );
}

import type { WaitingUpdate } from '@svc/runtime';
import type { AppView, WaitingCard } from '../../../src/wire/views.ts';
import type { PageName } from '../routes.ts';
import { useDesktopQuery, useLiveState } from '../wire/use-desktop.ts';
import { useApps } from './use-project.ts';

type Count = { count: number; label: string; look: 'now' | 'bad' };

const isUpdate = ({ card }: WaitingCard): boolean => card.kind === 'consent' && card.widened !== null;

/** The badges of the menu: questions in conversations, updates that ask for permissions, yanked apps. */
export function countsOf(
  cards: readonly WaitingCard[],
  apps: readonly Pick<AppView, 'yanked'>[],
  waiting: readonly Pick<WaitingUpdate, 'appId' | 'why'>[] = [],
): Partial<Record<PageName, Count>> {
  const all: [PageName, Count][] = [
    [
      'chat',
      {
        count: cards.filter(({ chat }) => chat !== undefined).length,
        label: 'questions waiting',
        look: 'now',
      },
    ],
    [
      'updates',
      {
        count: new Set([
          ...cards.flatMap((one) => (isUpdate(one) ? [one.card.app.appId] : [])),
          ...waiting.flatMap(({ appId, why }) => (why === 'asks' ? [appId] : [])),
        ]).size,
        label: 'updates ask for new permissions',
        look: 'now',
      },
    ],
    ['apps', { count: apps.filter((app) => app.yanked !== null).length, label: 'yanked apps', look: 'bad' }],
  ];
  return Object.fromEntries(all.filter(([, { count }]) => count > 0));
}

export function useCounts(): Partial<Record<PageName, Count>> {
  const { cards } = useLiveState();
  const apps = useApps() ?? [];
  const { data } = useDesktopQuery('apps.updates', {});
  return countsOf(cards, apps, data?.waiting);
}

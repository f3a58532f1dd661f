import type { Moderators } from '@svc/contracts';
import { useRead, useSignedIn } from '../account/use-store.ts';
import { visible } from './visible.ts';
import { WORDS } from './words.ts';

/**
 * Says who is on record: you, others by their names, or whatever stands there.
 * @param known what others than moderators are called
 */
export function useWho(known: Readonly<Record<string, string>> = {}): (by: string) => string {
  const { id } = useSignedIn();
  const { data } = useRead<Moderators>('/api/moderation/moderators');
  const names = new Map(data?.moderators.map(({ by, name }) => [by, name]));
  return (by) => (by === `person:${id}` ? WORDS.you : visible(names.get(by) ?? known[by] ?? by));
}

import type { Moderators } from '@svc/contracts';
import { useRead, useSignedIn } from '../account/use-store.ts';
import { visible } from './visible.ts';
import { WORDS } from './words.ts';

/** Says who a person on record is: you, a moderator by name, or whatever stands on record. */
export function useWho(): (by: string) => string {
  const { id } = useSignedIn();
  const { data } = useRead<Moderators>('/api/moderation/moderators');
  const names = new Map(data?.moderators.map(({ by, name }) => [by, name]));
  return (by) => (by === `person:${id}` ? WORDS.you : visible(names.get(by) ?? by));
}

import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { useActor, useRead } from '../account/use-store.ts';

/**
 * Returns a function that names an actor: "you", a name, or the id when no name is known.
 * @param known names of actors who are not moderators
 */
export function useWho(known: Readonly<Record<string, string>> = {}): (by: string) => string {
  const me = useActor();
  const { data } = useRead(apiRequest('GET /api/moderation/moderators'));
  const names = new Map(data?.moderators.map(({ by, name }) => [by, name]));
  return (by) => (by === me ? 'you' : visible(names.get(by) ?? known[by] ?? by));
}

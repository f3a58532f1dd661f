import type { ToolView } from '../../../src/wire/views.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

type Tools = { data: { tools: ToolView[] } | undefined; error: Error | null; refetch(): unknown };

/**
 * The tools of an app: the last known ones immediately, then those in the server's response.
 * @returns also whether the request is pending, why it failed, and what was dropped or repaired of the server's answers
 */
export function useTools(
  appId: string,
  project: string,
): { tools: Tools; isPending: boolean; fault: string | null; repairs: readonly string[] } {
  const input = { appId, project };
  const known = useDesktopQuery('tools.known', input);
  const listed = useDesktopQuery('tools.list', input);
  const data = listed.data ?? known.data;
  // An empty list may be incomplete until the server has answered.
  const isEmpty = data?.tools.length === 0 && listed.data === undefined;
  return {
    tools: { ...known, data: isEmpty ? undefined : data, error: known.error ?? listed.error },
    isPending: listed.data === undefined,
    fault: listed.data?.fault ?? null,
    repairs: listed.data?.repairs ?? [],
  };
}

import type { ToolView } from '../../../src/wire/views.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

type Tools = { data: { tools: ToolView[] } | undefined; error: Error | null; refetch(): unknown };

/**
 * The tools of an app: at once as they are known, and as its server lists them when it has answered.
 * @returns also whether its server is still asked, and why it could not be
 */
export function useTools(
  appId: string,
  project: string,
): { tools: Tools; isAsking: boolean; fault: string | null } {
  const asked = { appId, project };
  const known = useDesktopQuery('tools.known', asked);
  const listed = useDesktopQuery('tools.list', asked);
  const data = listed.data ?? known.data;
  // What no server was heard of, and none is declared, may be there all the same.
  const isEmpty = data?.tools.length === 0 && listed.data === undefined;
  return {
    tools: { ...known, data: isEmpty ? undefined : data, error: known.error ?? listed.error },
    isAsking: listed.data === undefined,
    fault: listed.data?.fault ?? null,
  };
}

import type { ServedTool } from '@svc/contracts';
import { compareTools } from './compare-tools.ts';

/** How a server's tool differs from its record. `widens`: an agent may read other words, send more, or be asked less. */
export type ToolDrift = {
  /** Name on the server. */
  tool: string;
  /** JSON Pointer into the tool, such as `/inputSchema/properties/to`; empty for the whole tool. */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
  widens: boolean;
};

/** What is compared: its description is left out, as agents read the one of the manifest. */
const withoutDescription = ({ description: _, ...tool }: ServedTool) => tool;

/**
 * Compares what a server lists with its record.
 * @param declared names on the server of the tools that the manifest declares: no client calls others, so a change of those never widens
 * @returns the differences, sorted by tool
 */
export function toolDriftOf(
  before: readonly ServedTool[],
  after: readonly ServedTool[],
  declared: ReadonlySet<string>,
): ToolDrift[] {
  const [recorded, listed] = [before, after].map((tools) => new Map(tools.map((tool) => [tool.name, tool])));
  const names = [...new Set([...before, ...after].map(({ name }) => name))].sort();
  return names.flatMap((tool): ToolDrift[] => {
    const [old, now] = [recorded?.get(tool), listed?.get(tool)];
    const isDeclared = declared.has(tool);
    if (old && now)
      return compareTools(withoutDescription(old), withoutDescription(now)).map(
        ({ path, before: was, after: is, widens }) => ({
          ...{ tool, path, kind: 'changed', before: was, after: is },
          widens: widens && isDeclared,
        }),
      );
    const kind = now ? 'added' : 'removed';
    return [
      {
        tool,
        path: '',
        kind,
        before: old ?? null,
        after: now ?? null,
        widens: isDeclared && now !== undefined,
      },
    ];
  });
}

/** What a user could ask a tool for, in their words. Names of one word are mostly no verbs. */
export const promptOf = (tool: string, app: string): string =>
  /\s/.test(tool.trim())
    ? `Can you ${tool.charAt(0).toLowerCase()}${tool.slice(1)} for me?`
    : `What can you do with ${app}?`;

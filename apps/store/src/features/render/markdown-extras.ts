import type { StateCore, Token } from 'markdown-it';

/** The kinds of alerts, as code hosts write them: a quotation that begins with `[!NOTE]`. */
const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*$/;

const BOX = /^\[([ xX])\][ \t]/;

/** The tokens of the first line of a paragraph that opens at an index, when it has one. */
const firstLine = (tokens: readonly Token[], at: number): Token[] | undefined =>
  tokens[at]?.type === 'paragraph_open' ? (tokens[at + 1]?.children ?? undefined) : undefined;

/** Quotations that begin with `[!NOTE]` become alerts with a title. */
export function markAlerts({ tokens, Token: New }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const line = token.type === 'blockquote_open' ? firstLine(tokens, index + 1) : undefined;
    const [first, next] = line ?? [];
    const [, kind] = ALERT.exec(first?.content ?? '') ?? [];
    if (!line || !first || kind === undefined || (next && next.type !== 'softbreak')) continue;
    token.attrSet('class', `alert ${kind.toLowerCase()}`);
    first.content = kind.charAt(0) + kind.slice(1).toLowerCase();
    const [open, close] = [new New('strong_open', 'strong', 1), new New('strong_close', 'strong', -1)];
    line.splice(0, 1, open, first, close);
    if (next) line.splice(3, 1, new New('hardbreak', 'br', 0));
  }
}

/** Items that begin with `[ ]` or `[x]` become tasks. */
export function markTasks({ tokens, Token: New }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const line = token.type === 'list_item_open' ? firstLine(tokens, index + 1) : undefined;
    const [first] = line ?? [];
    const [box, mark] = BOX.exec(first?.content ?? '') ?? [];
    if (!line || first?.type !== 'text' || box === undefined) continue;
    first.content = ` ${first.content.slice(box.length)}`;
    const input = new New('task', 'input', 0);
    input.attrs = [['type', 'checkbox'], ...(mark === ' ' ? [] : ([['checked', '']] as [string, string][]))];
    line.unshift(input);
  }
}

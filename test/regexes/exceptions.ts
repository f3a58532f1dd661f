/** A literal that takes more than linear time, and the reason why its input is bounded. */
export type Exception = { readonly file: string; readonly source: string; readonly bound: string };

export const EXCEPTIONS: readonly Exception[] = [
  {
    file: 'apps/desktop/src/calls/create-call.ts',
    source: String.raw`\b(?:bearer|basic)\s+[\w.~+/=-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|svc[a-z]|npm|AKIA)[-_]?[\w-]{16,}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}`,
    bound: 'maskText cuts the text to 1,600 characters first',
  },
  {
    file: 'packages/text/src/hidden.ts',
    source: String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[0-9#*][\ufe0e\ufe0f]\u20e3?|\p{Extended_Pictographic}\ufe0e|(?:\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f\p{EMod}?)?)(?:\u200d\p{Extended_Pictographic}(?:\p{EMod}|\ufe0f)?)*`,
    bound:
      'undecided, not slow: each part begins with another character, and the test of linear time runs it over 80,000',
  },
  {
    file: 'tools/demo/open-demo.ts',
    source: String.raw`(http[^"\s]+\/setup[^"\s]*)["\s]`,
    bound: 'matched against what our own store prints as it starts',
  },
];

/** A place that builds a regular expression from a text: the source of the text, and a sample expression to check. */
export type Maker = {
  readonly file: string;
  readonly from: string;
  readonly why: string;
  readonly sample: RegExp;
};

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PLAIN = '[^\\s,"=]+(?:=[^\\s,"]*)?';

// `from` is source code, including placeholders.
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are no templates here
export const MAKERS: readonly Maker[] = [
  {
    file: 'apps/desktop/src/agents/agents.ts',
    from: '`^[ \\\\t]*\\\\[[ \\\\t]*${group}[ \\\\t]*\\\\.[ \\\\t]*(?:${name}|"${name}"|\'${name}\')[ \\\\t]*[.\\\\]]`',
    why: 'group and name are constants of our own table of agents',
    sample: /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:svc|"svc"|'svc')[ \t]*[.\]]/,
  },
  {
    file: 'apps/store/src/adapters/s3/s3-client.ts',
    from: '`<${name}>([^<]*)</${name}>`',
    why: 'name is an element of S3, written in our source',
    sample: /<Key>([^<]*)<\/Key>/g,
  },
  {
    file: 'apps/store/src/core/domain/listings/search/words.ts',
    from: "`[${Object.keys(SPELT_OUT).join('')}]`",
    why: 'a set of single letters of our own',
    sample: /[ßæœøđłþ]/gu,
  },
  {
    file: 'apps/store/src/core/tokens/device-sign-in.ts',
    from: '`^[${USER_CODE_LETTERS}]{${LENGTH}}$`',
    why: 'constants',
    sample: /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/,
  },
  {
    file: 'apps/store/src/core/domain/identity/token-format.ts',
    from: '`^(svc[dpc]_[0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`',
    why: 'constants',
    sample: /^(svc[dpc]_[0-9A-Za-z]{29})([0-9A-Za-z]{6})$/,
  },
  {
    file: 'apps/web/src/extensions/ratings/install-id.ts',
    from: '`^[A-Za-z0-9._~\\\\-]{${min},${max}}$`',
    why: 'constants of the contracts',
    sample: /^[A-Za-z0-9._~-]{16,128}$/,
  },
  {
    file: 'packages/contracts/src/records/common.ts',
    from: '`^[A-Za-z0-9._~-]{${min},${max}}$`',
    why: 'bounds written in our source',
    sample: /^[A-Za-z0-9._~-]{22,256}$/,
  },
  {
    file: 'packages/contracts/src/records/relay.ts',
    from: '`^[A-Za-z0-9._~-]{${state.min},${state.max}}$`',
    why: 'bounds of LIMITS',
    sample: /^[A-Za-z0-9._~-]{22,256}$/,
  },
  {
    file: 'packages/runtime/src/accounts/discovery/challenge.ts',
    from: '`[\\\\s,]*(${TOKEN})(?:\\\\s*=\\\\s*(?:"((?:[^"\\\\\\\\]|\\\\\\\\.)*)"|(${PLAIN})))?`',
    why: 'constants, matched against a header cut to 8 KiB',
    sample: new RegExp(`[\\s,]*(${TOKEN})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${PLAIN})))?`, 'y'),
  },
  {
    file: 'packages/runtime/src/accounts/discovery/challenge.ts',
    from: 'STEP',
    why: 'a copy of the one above, with a place of its own',
    sample: new RegExp(`[\\s,]*(${TOKEN})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${PLAIN})))?`, 'y'),
  },
  {
    file: 'packages/runtime/src/panels/listen.ts',
    from: '`^[a-z0-9-]{1,63}\\\\.localhost:${port}$`',
    why: 'port is a number that we listen on',
    sample: /^[a-z0-9-]{1,63}\.localhost:65535$/,
  },
  {
    file: 'packages/text/src/escape.ts',
    from: '`(\\\\r?${ESCAPE}\\\\[[0-9;]*[mKJH])`',
    why: 'a constant',
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the escape that is looked for
    sample: /(\r?\u001b\[[0-9;]*[mKJH])/,
  },
  {
    file: 'packages/text/src/hidden.ts',
    from: '`(?=${JOINED})\\\\p{L}\\\\p{M}*$`',
    why: 'constants; the text before a joiner is cut first',
    sample: /(?=\p{Script=Arabic})\p{L}\p{M}*$/u,
  },
  {
    file: 'packages/text/src/hidden.ts',
    from: '`\\\\p{L}\\\\p{M}*[${VIRAMAS}]$`',
    why: 'constants; the text before a joiner is cut first',
    sample: /\p{L}\p{M}*[\u094d]$/u,
  },
  {
    file: 'packages/text/src/hidden.ts',
    from: '`^[${VIRAMAS}]`',
    why: 'a constant',
    sample: /^[\u094d]/u,
  },
  {
    file: 'tools/text/measure.ts',
    from: '`\\\\p{Script=${script}}`',
    why: 'names of scripts, written in our source',
    sample: /\p{Script=Latin}/u,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are no templates here

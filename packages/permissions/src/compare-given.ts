import { isObject } from '@svc/contracts/is-object';
import { eachField, type Found, found, isSame, isSubset, step } from './served-change.ts';

/** What a server says beside the fields that a client reads itself: icons, annotations, `_meta`, and of an entry its own name and title. */
export type GivenFields = Readonly<Record<string, unknown>>;

/** Without a list, models and pages see a tool (MCP Apps, "Visibility"). */
const visibilityOf = ({ visibility }: Readonly<Record<string, unknown>>): unknown =>
  Array.isArray(visibility) ? visibility : ['model', 'app'];

/** Who sees a tool, its page, and the rest of `_meta`, whose keys mean something to some client: any other value waits. */
function compareMeta(before: unknown, after: unknown): Found[] {
  const [was, is] = [before, after].map((meta) => {
    const { ui, 'ui/resourceUri': page, ...rest } = isObject(meta) ? meta : {};
    const { visibility: _, resourceUri: __, ...about } = isObject(ui) ? ui : {};
    const whole = { resourceUri: page, ...(isObject(ui) && ui) };
    return { visibility: visibilityOf(whole), page: whole.resourceUri, rest: { ...rest, ui: about } };
  });
  const [seen, sees] = [was?.visibility, is?.visibility];
  const [shown, shows] = [was?.page, is?.page];
  return [
    ...(isSame(seen, sees)
      ? []
      : [found('/_meta/ui/visibility', 'visibility', [seen, sees], !isSubset(sees, seen))]),
    ...(isSame(shown, shows)
      ? []
      : [found('/_meta/ui/resourceUri', 'page', [shown, shows], shows !== undefined)]),
    ...eachField(was?.rest, is?.rest, (key, ...pair) => [found(`/_meta${step(key)}`, 'meta', pair, true)]),
  ];
}

/** When a resource changed (MCP, "Annotations") is no instruction; clients keep only dates there. */
const FREE_HINTS = new Set(['lastModified']);

const compareAnnotations = (before: unknown, after: unknown): Found[] =>
  eachField(before, after, (key, ...pair) =>
    FREE_HINTS.has(key) ? [] : [found(`/annotations${step(key)}`, 'hint', pair, true)],
  );

/** Compares what a server gives beside the fields of a tool, a resource or a prompt. What goes brings nothing new. */
export const compareGiven = (before: GivenFields | undefined, after: GivenFields | undefined): Found[] => [
  ...compareMeta(before?._meta, after?._meta),
  ...eachField(before, after, (key, was, is) => {
    if (key === '_meta') return [];
    if (key === 'annotations') return compareAnnotations(was, is);
    if (key === 'icons')
      return [found('/icons', 'icons', [was, is], is !== undefined && !isSubset(is, was ?? []))];
    return [found(step(key), 'words', [was, is], is !== undefined)];
  }),
];

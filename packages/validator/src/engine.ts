import type { Issue } from '@svc/contracts';
import { misspeltAt, valueAt } from './misspelt.ts';
import { below, isExact, type Place, textOf } from './place.ts';
import {
  type Context,
  type Finding,
  type Level,
  MAX_FINDINGS_PER_CODE,
  type Mode,
  type Repair,
  type Rule,
  type Spot,
  type Where,
} from './rule.ts';
import { RULES } from './rules/index.ts';
import type { TargetName, Targets } from './targets.ts';

/** What the walk hands around: the place to announce targets to, and what is known of the whole. */
export type Walk = {
  readonly context: Context;
  /** Whether something was found there. */
  readonly visit: <T extends TargetName>(target: T, value: Targets[T], place: Place) => boolean;
  readonly issues: readonly Issue[];
  readonly fixes: readonly Fix[];
};

/** The one right answer to a finding: what to do at the place in the manifest that `path` (a JSON Pointer) names. */
export type Fix = { readonly code: string; readonly path: string; readonly change: Repair };

/** A rule whose target is only known at run time. Its check may be called with that target's value alone. */
type AnyRule = Omit<Rule<string, TargetName>, 'fails'> & {
  readonly fails: (value: never, context: Context) => Finding;
};

const RULES_OF: ReadonlyMap<TargetName, readonly AnyRule[]> = Map.groupBy<TargetName, AnyRule>(
  RULES,
  (rule): TargetName => rule.target,
);

/**
 * Starts a check: every target announced is checked against the rules for it, in the order of the table, and the first
 * that fails ends the matter, so that one fault gives one finding. What can go wrong independently has its own target.
 */
export function startWalk(context: Context): Walk {
  const issues: Issue[] = [];
  const fixes: Fix[] = [];
  const counts = new Map<string, number>();

  const report = (rule: AnyRule, level: Level, place: Place, value: unknown): void => {
    const count = counts.get(rule.code) ?? 0;
    if (count >= MAX_FINDINGS_PER_CODE) return;
    counts.set(rule.code, count + 1);
    const message = typeof rule.message === 'string' ? rule.message : rule.message(value, context);
    const path = textOf(place);
    const misspelt = value === undefined ? misspeltAt(context.manifest, place) : '';
    issues.push({
      code: rule.code,
      level: levelIn(level, context.mode),
      path,
      message: `${message}${misspelt}`,
    });
    // What stands there under a wrong name is to be renamed, not to be put there a second time.
    if (misspelt !== '' || !isExact(place)) return;
    const change = rule.repair?.(value, context, whereIs(context.manifest, place));
    if (change !== undefined) fixes.push({ code: rule.code, path, change });
  };

  const visit = (target: TargetName, value: unknown, place: Place): boolean => {
    for (const rule of RULES_OF.get(target) ?? []) {
      // The type of `announce` in Walk ties the value to the target, and the table ties the rule to it.
      const found = rule.fails(value as never, context);
      const level = found === 'warning' ? found : rule.level;
      const spots = spotsOf(found, value);
      for (const spot of spots) report(rule, level, spot.at.reduce(below, place), spot.value);
      if (spots.length > 0) return true;
    }
    return false;
  };

  return { context, visit, issues, fixes };
}

/** Where a check failed: at the target itself unless it says more closely. */
function spotsOf(found: Finding, value: unknown): readonly Spot[] {
  if (found === true || found === 'warning') return [{ at: [], value }];
  return found || [];
}

function whereIs(manifest: unknown, { parent, step }: Place): Where {
  return { around: parent === undefined ? undefined : valueAt(manifest, parent), step };
}

function levelIn(level: Level, mode: Mode): Issue['level'] {
  if (level === 'store-error') return mode === 'store' ? 'error' : 'warning';
  return level;
}

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

/** State of a validation: `visit` checks a target, and the findings are collected. */
export type Walk = {
  readonly context: Context;
  /** Checks a target against its rules. Returns whether a rule failed. */
  readonly visit: <T extends TargetName>(target: T, value: Targets[T], place: Place) => boolean;
  readonly issues: readonly Issue[];
  readonly fixes: readonly Fix[];
};

/** The correction of a finding: the change at `path`, a JSON Pointer into the manifest. */
export type Fix = { readonly code: string; readonly path: string; readonly change: Repair };

/** A rule whose target is only known at run time. `fails` must be called with a value of that target. */
type AnyRule = Omit<Rule<string, TargetName>, 'fails'> & {
  readonly fails: (value: never, context: Context) => Finding;
};

const RULES_OF: ReadonlyMap<TargetName, readonly AnyRule[]> = Map.groupBy<TargetName, AnyRule>(
  RULES,
  (rule): TargetName => rule.target,
);

/**
 * Starts a validation. Each visited target is checked against its rules in the order of the table, up to the first that fails, so
 * that one mistake gives one finding. Independent problems have separate targets.
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
    // A misspelt field must be renamed, not added a second time.
    if (misspelt !== '' || !isExact(place)) return;
    const change = rule.repair?.(value, context, whereIs(context.manifest, place));
    if (change !== undefined) fixes.push({ code: rule.code, path, change });
  };

  const visit = (target: TargetName, value: unknown, place: Place): boolean => {
    for (const rule of RULES_OF.get(target) ?? []) {
      // The type of `visit` in Walk binds the value to the target, and the table binds the rule to the target.
      const finding = rule.fails(value as never, context);
      const level = finding === 'warning' ? finding : rule.level;
      const spots = spotsOf(finding, value);
      for (const spot of spots) report(rule, level, spot.at.reduce(below, place), spot.value);
      if (spots.length > 0) return true;
    }
    return false;
  };

  return { context, visit, issues, fixes };
}

/** The spots of a finding: the target itself, unless the finding has spots inside it. */
function spotsOf(finding: Finding, value: unknown): readonly Spot[] {
  if (finding === true || finding === 'warning') return [{ at: [], value }];
  return finding || [];
}

function whereIs(manifest: unknown, { parent, step }: Place): Where {
  return { around: parent === undefined ? undefined : valueAt(manifest, parent), step };
}

function levelIn(level: Level, mode: Mode): Issue['level'] {
  if (level === 'store-error') return mode === 'store' ? 'error' : 'warning';
  return level;
}

import type { ReactNode } from 'react';

export type FactList = readonly (readonly [name: ReactNode, value: ReactNode, className?: string])[];

/** Values that are none. */
const NONE: readonly ReactNode[] = [null, undefined, false, ''];

/** A list of names and values. Entries without a value are left out. */
export const Facts = ({ facts }: { facts: FactList }) => (
  <dl className="facts">
    {facts
      .filter(([, value]) => !NONE.includes(value))
      .map(([name, value, className], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name may be an element
        <div key={at}>
          <dt>{name}</dt>
          <dd className={className}>{value}</dd>
        </div>
      ))}
  </dl>
);

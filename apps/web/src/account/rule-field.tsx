import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Select } from '@svc/ui';
import { useRead } from './use-store.ts';

/** Asks which rule of the policy an act of the store cites, as the policy promises. Users and the transparency report read it. */
export function RuleField() {
  const { data } = useRead(apiRequest('GET /api/policy'));
  const rules = data?.rules.map(({ id, title }) => [id, visible(title)] as const) ?? [];
  return (
    <Select
      label="Rule of the policy that it cites, shown in public"
      name="rule"
      required
      defaultValue=""
      of={[['', 'Choose a rule'], ...rules]}
    />
  );
}

/** The chosen rule; left out for an act of the publisher itself. */
export const ruleIn = (data: FormData): { rule?: string } => {
  const rule = data.get('rule');
  return typeof rule === 'string' && rule !== '' ? { rule } : {};
};

import { isObject } from '@svc/contracts/is-object';

const withoutNulls = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, name === '_meta' && isObject(value) ? withoutNulls(value) : value]),
  );

/**
 * A message of an agent without the fields that are null in its params or its result, as serializers write for none: the MCP server would
 * refuse a call for `arguments: null`. What is within arguments stays.
 */
export function plainMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const plain = Object.entries(message).map(([name, value]) => [
    name,
    (name === 'params' || name === 'result') && isObject(value) ? withoutNulls(value) : value,
  ]);
  return Object.fromEntries(plain.filter(([name, value]) => name !== 'params' || value !== null));
}

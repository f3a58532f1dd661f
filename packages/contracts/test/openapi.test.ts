import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import {
  ERRORS,
  errorsOf,
  isForMembers,
  openApiDocument,
  openApiPath,
  ROUTES,
  type Route,
} from '../src/index.ts';

type Operation = { operationId: string; responses: Record<string, unknown>; security: unknown[] };
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: object } };

const document = openApiDocument('https://store.example') as unknown as Document;

describe('openApiDocument', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it('describes every route, and no other', () => {
    const described = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId),
    );
    expect(described.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(Object.entries<Route>(ROUTES))('lists every status of %s', (name, route) => {
    const operation = document.paths[openApiPath(route.path)]?.[route.method];
    expect(operation?.operationId).toBe(name);
    const statuses = new Set<number>([
      route.success.status,
      ...errorsOf(route).map((code) => ERRORS[code].status),
    ]);
    // In a store that only members may read, a public route may require a sign-in too.
    const isOpen = route.auth === 'none' && !isForMembers(route);
    if (route.page && !isOpen && route.method === 'get') statuses.add(303);
    if (route.ranges) statuses.add(206);
    if (route.redirects) statuses.add(307);
    expect(Object.keys(operation?.responses ?? {}).sort()).toEqual([...statuses].map(String).sort());
    const members = isForMembers(route) ? [{}, { bearer: [] }] : [];
    expect(operation?.security).toEqual(route.auth === 'none' ? members : [{ bearer: [] }]);
  });

  it('has no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((name) => !(String(name) in document.components.schemas))).toEqual([]);
  });
});

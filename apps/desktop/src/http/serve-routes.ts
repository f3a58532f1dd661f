import { type Exchange, HttpError, invalid, notFound, type Route } from './exchange.ts';

const isFor = ({ path }: Route, requested: string): boolean =>
  path.endsWith('/') && path !== '/' ? requested.startsWith(path) : requested === path;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('The path is not validly encoded.');
  }
}

/**
 * Creates the router.
 * @param fallback handles requests without a route
 */
export const serveRoutes =
  (routes: readonly Route[], fallback: (exchange: Exchange) => void) =>
  async (exchange: Exchange): Promise<void> => {
    const { path, request } = exchange;
    const matching = routes.filter((route) => isFor(route, path));
    const [first] = matching;
    if (!first) {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw notFound();
      return fallback(exchange);
    }
    const route = matching.find(({ method }) => method === undefined || method === request.method);
    if (!route) throw new HttpError(405, 'invalid_request', `Use ${first.method}.`);
    await route.serve(exchange, decoded(path.slice(route.path.length)));
  };

import { type Exchange, HttpError, invalid, notFound, type Route } from './exchange.ts';

const isFor = ({ path }: Route, asked: string): boolean =>
  path.endsWith('/') && path !== '/' ? asked.startsWith(path) : asked === path;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('The address is not well encoded.');
  }
}

/**
 * Finds the route of a request, and lets it answer.
 * @param otherwise answers what no route is for
 */
export const serveRoutes =
  (routes: readonly Route[], otherwise: (exchange: Exchange) => void) =>
  async (exchange: Exchange): Promise<void> => {
    const { path, request } = exchange;
    const found = routes.filter((route) => isFor(route, path));
    const [first] = found;
    if (!first) {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw notFound();
      return otherwise(exchange);
    }
    const route = found.find(({ method }) => method === undefined || method === request.method);
    if (!route) throw new HttpError(405, 'invalid_request', `Ask with ${first.method}.`);
    await route.serve(exchange, decoded(path.slice(route.path.length)));
  };

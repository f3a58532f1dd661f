import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useDesktopClient } from '../wire/use-desktop.ts';

/** Image types that every browser renders. SVG is not one of them: it is a document that may contain scripts. */
export const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
]);

/**
 * Fetches bytes that need the bearer, as an object URL that is revoked on unmount.
 * @param edition cache key for paths whose content changes
 */
export function useBlob(
  path: string,
  edition = '',
): { url: string | null; blob: Blob | null; error: Error | null } {
  const desktop = useDesktopClient();
  const { data: blob = null, error } = useQuery({
    queryKey: ['bytes', path, edition],
    queryFn: ({ signal }) => desktop.bytes(path, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return;
    const objectUrl = URL.createObjectURL(blob);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [blob]);
  return { url, blob, error };
}

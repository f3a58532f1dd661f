import { readdir, readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Resource } from '../../platform/resources.ts';
import { isExhausted } from '../../platform/unavailable-error.ts';

/** The soft limit of open files in `/proc/self/limits` (proc(5)); undefined when there is none. */
const limitIn = (limits: string): number | undefined =>
  Number(/^Max open files +(\d+)/m.exec(limits)?.[1]) || undefined;

/** The open descriptors; null for a process that cannot open one to count them. */
async function openDescriptors(): Promise<number | null> {
  try {
    // One of them is that of the folder.
    return (await readdir('/proc/self/fd')).length - 1;
  } catch (error) {
    if (isExhausted(error)) return null;
    throw error;
  }
}

/** Reads the memory of the container, or of the machine where nothing else bounds the process, in bytes. Nothing without free descriptors. */
function memoryReader(): () => Resource[] {
  const [total, bound] = [totalmem(), process.constrainedMemory()];
  // The cache of files counts as used by a container, and is freed when the process needs memory.
  if (bound > 0 && bound < total)
    return () => [{ name: 'memory', used: process.memoryUsage.rss(), limit: bound }];
  return () => {
    // 0 when Node could not open /proc/meminfo.
    const available = process.availableMemory();
    return available > 0 ? [{ name: 'memory', used: total - available, limit: total }] : [];
  };
}

/**
 * Reads how much this process uses of what ends it, or its requests, when nothing is left: descriptors (on Linux), memory and heap.
 * The limits are read once, as a process without free descriptors cannot read them.
 */
export async function openResourceReader(): Promise<() => Promise<Resource[]>> {
  const limit = limitIn(await readFile('/proc/self/limits', 'utf8').catch(() => ''));
  const readMemory = memoryReader();
  return async () => {
    const { used_heap_size: used, heap_size_limit } = getHeapStatistics();
    const others = [...readMemory(), { name: 'heap', used, limit: heap_size_limit }];
    if (limit === undefined) return others;
    return [{ name: 'file descriptors', used: (await openDescriptors()) ?? limit, limit }, ...others];
  };
}

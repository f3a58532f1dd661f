/**
 * Threads for files and hashes in this process, unless the operator has set another number. Node has four by default, which a
 * few slow writes of large uploads would occupy, so that every small read waits. Node reads the variable when the first of its threads
 * starts, so this must be the first import of the program.
 */
process.env.UV_THREADPOOL_SIZE ??= '16';

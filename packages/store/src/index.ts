export { backupLines } from './backup/write-backup.ts';
export { restoreBackup } from './backup/restore-backup.ts';
export { migrate } from './migrate.ts';
export { openStore, type OpenStoreOptions } from './open-store.ts';
export { openHistory } from './history/history-store.ts';

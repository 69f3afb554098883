import { defineConfig } from 'drizzle-kit';

/** `npm run db:generate` writes the next numbered migration; a person reads and edits it before it is committed. */
const config = defineConfig({
  dialect: 'postgresql',
  schema: './packages/store/src/schema/*.ts',
  out: './migrations',
});

// drizzle-kit reads the default export only.
export default config;

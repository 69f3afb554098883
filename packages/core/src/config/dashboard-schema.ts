import { z } from 'zod';

/** The operators' pages. Passwords come from the environment: PALIMPSEST_PASSWORD, PALIMPSEST_VIEWER_PASSWORD. */
export const dashboard = z.strictObject({
  role_without_password: z
    .enum(['operator', 'viewer'])
    .default('operator')
    .describe(
      'what whoever opens the pages on this machine may do where no password is set; a viewer sees figures and no message',
    ),
  signed_in_days: z
    .number()
    .int()
    .min(1)
    .max(365)
    .default(30)
    .describe('a browser stays signed in this long; another password ends it for all'),
});

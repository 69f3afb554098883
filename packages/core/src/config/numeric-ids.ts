import { z } from 'zod';

const numericId = /^-?\d{1,20}$/;

/** A list of platform ids. Never names: anyone can take a name. */
export const numericIds = z
  .array(
    z
      .union([z.string(), z.number(), z.bigint()])
      .transform(String)
      .refine((id) => numericId.test(id), 'numeric ids; names are never compared, /whoami shows the id'),
  )
  .default([]);

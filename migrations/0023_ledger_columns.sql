ALTER TABLE "compactions" ADD COLUMN "strategy" text;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "cache_share_before" double precision;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "cache_share_after" double precision;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "messages_deferred" integer;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "archive_first_seq" bigint;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "archive_last_seq" bigint;--> statement-breakpoint
ALTER TABLE "compactions" ADD COLUMN "previous_summary_id" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "last_cache_read_tokens" integer DEFAULT 0 NOT NULL;
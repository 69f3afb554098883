ALTER TABLE "outbox" ADD COLUMN "interaction" jsonb;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "interaction" jsonb;
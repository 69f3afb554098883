ALTER TABLE "sessions" ADD COLUMN "busy_mode" text;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "sender_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "argument" text DEFAULT '' NOT NULL;
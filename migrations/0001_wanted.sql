ALTER TABLE "sessions" ADD COLUMN "wanted_engine" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "wanted_model" text;
ALTER TABLE "sessions" ADD COLUMN "search_version" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "sessions_search_version" ON "sessions" USING btree ("search_version","id");
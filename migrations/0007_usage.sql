CREATE TABLE "usage_days" (
	"session_id" text NOT NULL,
	"day" date NOT NULL,
	"person_id" bigint NOT NULL,
	"model" text NOT NULL,
	"calls" integer DEFAULT 0 NOT NULL,
	"unpriced_calls" integer DEFAULT 0 NOT NULL,
	"prompt_tokens" bigint DEFAULT 0 NOT NULL,
	"cache_read_tokens" bigint DEFAULT 0 NOT NULL,
	"cache_write_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"microdollars" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_days_session_id_day_person_id_model_pk" PRIMARY KEY("session_id","day","person_id","model")
);
--> statement-breakpoint
ALTER TABLE "usage_days" ADD CONSTRAINT "usage_days_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "usage_days_person" ON "usage_days" USING btree ("day","person_id");
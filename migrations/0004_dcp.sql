CREATE TABLE "dcp_block" (
	"session_id" text NOT NULL,
	"number" bigint NOT NULL,
	"run" bigint NOT NULL,
	"author" text NOT NULL,
	"mode" text NOT NULL,
	"topic" text NOT NULL,
	"batch_topic" text,
	"body" text NOT NULL,
	"ref_blocks" bigint[] DEFAULT '{}' NOT NULL,
	"start_ref" text NOT NULL,
	"end_ref" text NOT NULL,
	"anchor_unit" bigint NOT NULL,
	"unit_ids" bigint[] DEFAULT '{}' NOT NULL,
	"consumed" bigint[] DEFAULT '{}' NOT NULL,
	"origin_turn_id" text,
	"origin_call_id" text,
	"origin_hash" text,
	"status" text DEFAULT 'on' NOT NULL,
	"raw_tokens" integer NOT NULL,
	"summary_tokens" integer NOT NULL,
	"duration_ms" integer NOT NULL,
	"compaction_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "dcp_block_session_id_number_pk" PRIMARY KEY("session_id","number"),
	CONSTRAINT "dcp_block_positive" CHECK ("dcp_block"."number" > 0),
	CONSTRAINT "dcp_block_status" CHECK ("dcp_block"."status" IN ('on', 'user_off', 'tainted', 'reset'))
);
--> statement-breakpoint
CREATE TABLE "dcp_event" (
	"session_id" text NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "dcp_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"detail" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "dcp_event_session_id_id_pk" PRIMARY KEY("session_id","id")
);
--> statement-breakpoint
CREATE TABLE "dcp_mark" (
	"session_id" text NOT NULL,
	"unit_id" bigint NOT NULL,
	"call_id" text NOT NULL,
	"reason" text NOT NULL,
	"run" bigint NOT NULL,
	"tokens" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "dcp_mark_session_id_unit_id_call_id_pk" PRIMARY KEY("session_id","unit_id","call_id")
);
--> statement-breakpoint
CREATE TABLE "dcp_ref" (
	"session_id" text NOT NULL,
	"number" bigint NOT NULL,
	"unit_id" bigint NOT NULL,
	CONSTRAINT "dcp_ref_session_id_number_pk" PRIMARY KEY("session_id","number"),
	CONSTRAINT "dcp_ref_unit" UNIQUE("session_id","unit_id"),
	CONSTRAINT "dcp_ref_positive" CHECK ("dcp_ref"."number" > 0)
);
--> statement-breakpoint
CREATE TABLE "dcp_session" (
	"session_id" text PRIMARY KEY NOT NULL,
	"format" smallint DEFAULT 1 NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"next_ref" bigint DEFAULT 1 NOT NULL,
	"next_block" bigint DEFAULT 1 NOT NULL,
	"next_run" bigint DEFAULT 1 NOT NULL,
	"manual_mode" boolean DEFAULT false NOT NULL,
	"pending_grant" jsonb,
	"nudge" jsonb,
	"hygiene" jsonb,
	"compress_calls" integer DEFAULT 0 NOT NULL,
	"compress_failures" integer DEFAULT 0 NOT NULL,
	"nudges" integer DEFAULT 0 NOT NULL,
	"hygiene_blocks" integer DEFAULT 0 NOT NULL,
	"emergencies" integer DEFAULT 0 NOT NULL,
	"sweeps" integer DEFAULT 0 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "dcp_block" ADD CONSTRAINT "dcp_block_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dcp_event" ADD CONSTRAINT "dcp_event_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dcp_mark" ADD CONSTRAINT "dcp_mark_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dcp_ref" ADD CONSTRAINT "dcp_ref_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dcp_session" ADD CONSTRAINT "dcp_session_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dcp_event_created" ON "dcp_event" USING btree ("created_at");
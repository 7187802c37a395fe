// Talaria as a library: everything that needs nothing but the standard library.
#pragma once

#include <talaria/approval.h>
#include <talaria/approvals.h>
#include <talaria/call.h>
#include <talaria/cancel.h>
#include <talaria/command.h>
#include <talaria/configuration.h>
#include <talaria/doctor.h>
#include <talaria/environment.h>
#include <talaria/error.h>
#include <talaria/event.h>
#include <talaria/home.h>
#include <talaria/hooks.h>
#include <talaria/input.h>
#include <talaria/options.h>
#include <talaria/process.h>
#include <talaria/processes.h>
#include <talaria/runtime.h>
#include <talaria/sandboxes.h>
#include <talaria/shared_files.h>
#include <talaria/target.h>
#include <talaria/version.h>

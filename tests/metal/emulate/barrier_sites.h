// BarrierSites: the places of src/kernels where threads wait for each other.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

struct BarrierSite {
  std::string file;  // without folders
  int line;
};
std::string to_string(const BarrierSite& site);
inline void PrintTo(const BarrierSite& site, std::ostream* out) { *out << to_string(site); }

/// Of the headers of a folder: lines that say `.barrier();` or `WEFT_BARRIER();`, but for the definition of the former.
std::vector<BarrierSite> barrier_sites(const std::string& folder);

/// Whether a running kernel has come there.
bool was_met(const BarrierSite& site);
/// How many places have been come to, in those headers or not.
std::size_t sites_met();

/// From now on nobody waits there; null: everybody waits everywhere.
void leave_out(const BarrierSite* site);

/// For those who fill in meet(): null where nobody is to wait, else a pointer that is the site's own. Orders nothing
/// between threads.
const void* come_to(std::string_view file, int line);

}  // namespace weft::test

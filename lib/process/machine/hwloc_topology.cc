#include "process/machine/hwloc_topology.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <hwloc.h>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/core_locality.h"
#include "process/machine/topology.h"

namespace fq::process {

using document::CoreLocality;
using document::ResourceSet;
using notation::Idset;

namespace {

class Topology {
 public:
  /// Of this machine, or of the one that `xml` describes.
  explicit Topology(const std::string* xml = nullptr) {
    if (hwloc_topology_init(&handle_) != 0) throw Error{Kind::io, "cannot read this machine's topology"};
    const Error failure = xml != nullptr ? Error{Kind::invalid, "not an hwloc topology in XML"}
                                         : Error{Kind::io, "cannot read this machine's topology"};
    const auto destroy_unless = [&](bool good) {
      if (good) return;
      hwloc_topology_destroy(handle_);
      throw failure;
    };
    if (xml != nullptr) {
      destroy_unless(xml->size() < kMaxXml);
      destroy_unless(hwloc_topology_set_xmlbuffer(handle_, xml->c_str(), static_cast<int>(xml->size()) + 1) ==
                     0);
    }
    // Cores keep their number in the whole machine, so that it means the same to a process with other limits.
    hwloc_topology_set_flags(handle_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_all_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_type_filter(handle_, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_io_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    destroy_unless(hwloc_topology_load(handle_) == 0);
  }
  ~Topology() { hwloc_topology_destroy(handle_); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// The cores with a CPU that cgroup and, on this machine where `restricted`, affinity allow.
  [[nodiscard]] Idset cores(bool restricted = true) const {
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    if (restricted && hwloc_topology_is_thissystem(handle_) != 0) {
      hwloc_get_cpubind(handle_, usable, HWLOC_CPUBIND_PROCESS);
    }
    if (hwloc_bitmap_iszero(usable)) hwloc_bitmap_fill(usable);
    hwloc_bitmap_and(usable, usable, hwloc_topology_get_allowed_cpuset(handle_));
    Idset cores = usable_of(HWLOC_OBJ_CORE, usable);
    // A machine whose cores the system does not tell apart has CPUs all the same.
    if (cores.empty()) cores = usable_of(HWLOC_OBJ_PU, usable);
    hwloc_bitmap_free(usable);
    return cores;
  }

  /// GPUs as hwloc's back ends for CUDA, ROCm, level zero and OpenCL see them; each device once.
  [[nodiscard]] std::uint32_t gpus() const {
    std::uint32_t unplaced = 0;
    const std::vector<hwloc_obj_t> devices = gpu_devices(unplaced);
    return static_cast<std::uint32_t>(devices.size()) + (devices.empty() ? unplaced : 0);
  }

  /// Of `cores`, those near each of the GPUs, which are numbered in the order of the bus. Nothing where that
  /// tells none from another.
  [[nodiscard]] CoreLocality::OfGpus near(const Idset& cores) const {
    std::uint32_t unplaced = 0;
    CoreLocality::OfGpus near;
    bool tells = false;
    for (hwloc_obj_t device : gpu_devices(unplaced)) {
      const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(handle_, device);
      if (place == nullptr || place->cpuset == nullptr) return {};
      Idset own = usable_of(HWLOC_OBJ_CORE, place->cpuset);
      if (own.empty()) own = usable_of(HWLOC_OBJ_PU, place->cpuset);
      own = own.intersect(cores);
      tells = tells || own.count() < cores.count();
      near.emplace(static_cast<std::uint32_t>(near.size()), std::move(own));
    }
    return tells ? near : CoreLocality::OfGpus{};
  }

 private:
  static constexpr std::size_t kMaxXml = std::size_t{1} << 30;

  /// The PCI devices of GPUs, in the order of the bus, and how many have no place there.
  [[nodiscard]] std::vector<hwloc_obj_t> gpu_devices(std::uint32_t& unplaced) const {
    std::vector<hwloc_obj_t> devices;
    for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(handle_, device)) != nullptr;) {
      const bool coprocessor = device->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC;
      const std::string subtype = device->subtype != nullptr ? device->subtype : "";
      const std::string_view name = device->name != nullptr ? device->name : "";
      // To hwloc those of ROCm are graphics devices; early versions told them by their names alone.
      const bool is_amd = subtype == "RSMI" || name.starts_with("rsmi");
      const bool computes = subtype == "CUDA" || subtype == "LevelZero" || subtype == "OpenCL";
      if (!is_amd && !(coprocessor && computes)) continue;
      if (device->parent == nullptr || device->parent->type != HWLOC_OBJ_PCI_DEVICE) {
        ++unplaced;
      } else {
        if (std::find(devices.begin(), devices.end(), device->parent) == devices.end())
          devices.push_back(device->parent);
      }
    }
    return devices;
  }

  [[nodiscard]] Idset usable_of(hwloc_obj_type_t type, hwloc_const_bitmap_t usable) const {
    Idset found;
    const int count = hwloc_get_nbobjs_by_type(handle_, type);
    for (int i = 0; i < count; ++i) {
      const hwloc_obj_t object = hwloc_get_obj_by_type(handle_, type, static_cast<unsigned>(i));
      if (object != nullptr && hwloc_bitmap_intersects(object->cpuset, usable) != 0) {
        found.insert(static_cast<std::uint32_t>(i));
      }
    }
    return found;
  }

  hwloc_topology_t handle_ = nullptr;
};

/// How many files of `directory` are named `prefix` and a number.
std::uint32_t count_devices(const std::string& directory, std::string_view prefix) {
  std::uint32_t count = 0;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failure)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && parse_u64(std::string_view{name}.substr(prefix.size()))) ++count;
  }
  return count;
}

// One node, with what is known of it.
ResourceSet of_one_node(ResourceSet::Node node, const Topology& topology) {
  CoreLocality locality;
  // GPUs that it does not know are none of these.
  if (node.gpus.count() == topology.gpus()) {
    if (auto near = topology.near(node.cores); !near.empty())
      locality.hosts.emplace(node.host, std::move(near));
  }
  ResourceSet found;
  found.scheduling = locality.encode();
  found.add(std::move(node));
  return found;
}

std::uint32_t count_gpus(const Topology& topology) {
  if (const std::uint32_t known = topology.gpus(); known > 0) return known;
  if (const std::uint32_t nvidia = count_devices("/dev", "nvidia"); nvidia > 0) return nvidia;
  return count_devices("/dev/dri", "renderD");
}

}  // namespace

ResourceSet hwloc_resources(bool restricted) {
  const Topology topology;
  ResourceSet::Node node;
  node.host = host_name();
  node.cores = topology.cores(restricted);
  if (const std::uint32_t ngpus = count_gpus(topology); ngpus > 0)
    node.gpus = Idset::from_range(0, ngpus - 1);
  if (node.cores.empty()) throw Error{Kind::io, "this machine's topology has no core that may be used"};
  return of_one_node(std::move(node), topology);
}

ResourceSet hwloc_resources_in(const std::string& xml) {
  const Topology topology{&xml};
  ResourceSet::Node node;
  node.host = host_name();
  node.cores = topology.cores();
  if (const std::uint32_t ngpus = topology.gpus(); ngpus > 0) node.gpus = Idset::from_range(0, ngpus - 1);
  return of_one_node(std::move(node), topology);
}

}  // namespace fq::process
